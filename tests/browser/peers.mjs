// The page beside the comparison page of Lighthouse CI, in one browser session, by turns. Prints one JSON object.
//
//     FIRSTFAULT_PEERS=folder with node_modules  FIRSTFAULT_PAGE=index.html  node peers.mjs [pairs]

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { browsers, fixture, pagePath } from "./open.mjs";

const peers = process.env.FIRSTFAULT_PEERS;
const pairs = Number(process.argv[2] ?? 9);
const many = 10_000;
const packages = createRequire(join(peers, "package.json"));
const viewer = join(peers, "node_modules/@lhci/viewer/dist");
const chromium = browsers.find(({ name }) => name === "chromium");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

/** Serves a folder on this machine alone. */
async function serve(folder) {
  const server = createServer((request, answer) => {
    const path = join(folder, normalize(new URL(request.url, "http://127.0.0.1").pathname).replace(/\/$/, "/index.html"));
    if (!existsSync(path)) return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

/** Two Lighthouse reports of one page: made once, since each takes half a minute. */
async function lighthouseReports(browser, address) {
  const { default: lighthouse } = await import(pathToFileURL(packages.resolve("lighthouse")).href);
  const folder = join(peers, "reports");
  mkdirSync(folder, { recursive: true });
  const paths = [];
  for (const name of ["baseline.json", "candidate.json"]) {
    const path = join(folder, name);
    if (!existsSync(path)) {
      const port = Number(new URL(browser.wsEndpoint()).port);
      const { report } = await lighthouse(address, { port, output: "json", logLevel: "error" });
      writeFileSync(path, report);
    }
    paths.push(path);
  }
  return paths;
}

const files = (paths) => paths.map((path) => [path.split("/").at(-1), readFileSync(path, "utf8")]);

/** Hands a file to an input, or several files to the page as a drop; gives the ms until `selector` is drawn. */
const shown = (page, given, selector, text = "") =>
  page.evaluate(
    async (given, selector, text) => {
      const dropped = (files) => {
        const transfer = new DataTransfer();
        for (const [name, content] of files) transfer.items.add(new File([content], name));
        return transfer;
      };
      const inputs = [...document.querySelectorAll("input[type=file]")];
      const begin = performance.now();
      if (inputs.length === 2) {
        // One file for each of its two boxes.
        inputs.forEach((input, at) => {
          input.files = dropped([given[at]]).files;
          input.dispatchEvent(new Event("change", { bubbles: true }));
        });
      } else {
        inputs[0].files = dropped(given).files;
        inputs[0].dispatchEvent(new Event("change", { bubbles: true }));
      }
      while (!document.querySelector(selector)?.innerText.includes(text)) await new Promise(requestAnimationFrame);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - begin;
    },
    given,
    selector,
    text,
  );

const median = (values) => [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];

/** Opens an address in a fresh tab; gives the page, its first paint and when its heading stood there. */
async function visit(browser, address) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  await page.evaluateOnNewDocument(() => {
    const look = () => (document.querySelector("h1") ? (globalThis.usable = performance.now()) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  });
  await page.goto(address, { waitUntil: "load" });
  await page.waitForFunction(() => globalThis.usable && performance.getEntriesByName("first-contentful-paint").length > 0);
  const [firstPaint, usable] = await page.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0].startTime, globalThis.usable]);
  return { page, firstPaint, usable };
}

function hosts() {
  const report = JSON.parse(readFileSync(fixture("valid/gpu-unavailable"), "utf8"));
  return Array.from({ length: many }, (_, at) => {
    report.attempt.id = at.toString(16).padStart(32, "0");
    report.attempt.label = `node-${at}`;
    return [`${at}.json`, JSON.stringify(report)];
  });
}

/** What a page of its own does: the ms until all are there, and its longest task. */
async function manyReports(browser, address) {
  const { page } = await visit(browser, address);
  await page.evaluate(() => {
    globalThis.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ entryTypes: ["longtask"] });
  });
  // The files are made in a call of their own, so that making them is no task of the page.
  await page.evaluate((all) => {
    globalThis.given = new DataTransfer();
    for (const [name, content] of all) globalThis.given.items.add(new File([content], name));
  }, hosts());
  const ms = await page.evaluate(async (text) => {
    await new Promise((done) => setTimeout(done, 300));
    globalThis.longest = 0;
    const begin = performance.now();
    document.querySelector("main").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: globalThis.given }));
    while (!document.querySelector(".many h1")?.innerText.includes(text)) await new Promise(requestAnimationFrame);
    return performance.now() - begin;
  }, many.toLocaleString("en"));
  const longest = await page.evaluate(() => new Promise((done) => setTimeout(() => done(globalThis.longest), 300)));
  await page.close();
  return { ms, longest };
}

const browser = await chromium.launch("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--lang=en");
const ours = await serve(join(pagePath, ".."));
const theirs = await serve(viewer);
try {
  const address = pathToFileURL(pagePath).href.split("/").at(-1);
  const lighthouse = files(await lighthouseReports(browser, theirs.address));
  const pair = files([fixture("valid/application-passed"), fixture("valid/application-passed-bfloat16")]);
  const one = files([fixture("valid/gpu-unavailable")]);
  const times = { first_paint: [[], []], usable: [[], []], compare: [[], []], one_report: [] };
  for (let at = -1; at < pairs; at += 1) {
    const mine = await visit(browser, ours.address + address);
    const mineMs = await shown(mine.page, pair, ".compare");
    await mine.page.close();
    const peer = await visit(browser, theirs.address);
    const peerMs = await shown(peer.page, lighthouse, ".comparison");
    await peer.page.close();
    const single = await visit(browser, ours.address + address);
    const singleMs = await shown(single.page, one, ".report");
    await single.page.close();
    // The first pair fills the caches of the file system.
    if (at < 0) continue;
    times.first_paint[0].push(mine.firstPaint);
    times.first_paint[1].push(peer.firstPaint);
    times.usable[0].push(mine.usable);
    times.usable[1].push(peer.usable);
    times.compare[0].push(mineMs);
    times.compare[1].push(peerMs);
    times.one_report.push(singleMs);
  }
  const { ms, longest } = await manyReports(browser, ours.address + address);
  const both = ([left, right]) => ({ page: median(left), peer: median(right) });
  const result = {
    pairs,
    first_paint: both(times.first_paint),
    usable: both(times.usable),
    compare: both(times.compare),
    one_report: median(times.one_report),
    many: { reports: many, ms, longest_task: longest },
  };
  console.log(JSON.stringify(result));
} finally {
  await browser.close();
  for (const { server } of [ours, theirs]) server.close();
}
