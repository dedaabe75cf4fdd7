// How fast the page is, in a real browser from disk: medians of several runs, each in a fresh tab.
//
//     FIRSTFAULT_PAGE=web/dist/index.html node bench.mjs [runs]

import { readFileSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { browsers, fixture, pagePath } from "./open.mjs";

const runs = Number(process.argv[2] ?? 7);
const many = 10_000;
const median = (values) => values.sort((left, right) => left - right)[Math.floor(values.length / 2)];

/** Drops reports onto the page and gives the ms until `selector` stands there and is drawn. */
const opened = (page, files, selector, text = "") =>
  page.evaluate(
    async (files, selector, text) => {
      const transfer = new DataTransfer();
      for (const [name, content] of files) transfer.items.add(new File([content], name));
      const begin = performance.now();
      document.querySelector("main").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: transfer }));
      while (!document.querySelector(selector)?.innerText.includes(text)) await new Promise(requestAnimationFrame);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - begin;
    },
    files,
    selector,
    text,
  );

const file = (name) => [`${name}.json`, readFileSync(fixture(`valid/${name}`), "utf8")];

function hosts() {
  const report = JSON.parse(file("gpu-unavailable")[1]);
  return Array.from({ length: many }, (_, at) => {
    report.attempt.id = at.toString(16).padStart(32, "0");
    report.attempt.label = `node-${at}`;
    return [`${at}.json`, JSON.stringify(report)];
  });
}

for (const kind of browsers) {
  const browser = await kind.launch();
  const times = { "first paint": [], "page ready": [], "one report": [], "two compared": [] };
  const fresh = async () => {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(pathToFileURL(pagePath).href, { waitUntil: "load" });
    await page.waitForSelector("main h1");
    return page;
  };
  for (let run = 0; run < runs; run += 1) {
    const page = await fresh();
    times["first paint"].push(await page.evaluate(() => performance.getEntriesByType("paint").find(({ name }) => name === "first-contentful-paint")?.startTime ?? NaN));
    times["page ready"].push(await page.evaluate(() => performance.getEntriesByName("firstfault-ready")[0]?.startTime ?? NaN));
    times["one report"].push(await opened(page, [file("gpu-unavailable")], ".report"));
    await page.close();
    const pair = await fresh();
    times["two compared"].push(await opened(pair, [file("application-passed"), file("application-passed-bfloat16")], ".compare"));
    await pair.close();
  }
  const page = await fresh();
  const all = await opened(page, hosts(), ".many h1", "10,000");
  const filtered = await page.evaluate(async () => {
    const input = document.querySelector(".many__search input");
    const begin = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "node-77");
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - begin;
  });
  console.log(`${kind.name}, medians of ${runs}`);
  for (const [name, values] of Object.entries(times)) console.log(`  ${name.padEnd(28)} ${median(values).toFixed(0)} ms`);
  console.log(`  ${`${many} reports opened`.padEnd(28)} ${all.toFixed(0)} ms`);
  console.log(`  ${`${many} reports filtered`.padEnd(28)} ${filtered.toFixed(0)} ms`);
  await browser.close();
}
console.log(`page: ${statSync(pagePath).size} bytes`);
