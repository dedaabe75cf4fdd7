// The page for everybody: WCAG 2.2 AA, the keyboard alone, small and large windows, three languages.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import axe from "axe-core";
import { browserFor, browsers, choose, fixture, fixtures, open, press, textOf } from "./open.mjs";

const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

async function violations(page) {
  // Through the debugger: the page's policy would not let a script of the page do this.
  await page.evaluate(axe.source);
  const result = await page.evaluate((values) => globalThis.axe.run(document, { runOnly: { type: "tag", values } }), standards);
  return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 5).join(", ")}`);
}

/** Words of people that a narrow place breaks in two; identifiers of machines may be broken. */
const broken = (page) =>
  page.evaluate(() => {
    const found = [];
    for (const element of document.querySelectorAll("h1, h2, h3, h4, p, small, th, td, dt, dd, li, summary, .strip__name, .strip__outcome, .outcome, .button")) {
      if (element.closest("code, .machine, .field-path") || !element.checkVisibility()) continue;
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE) continue;
        for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{M}]+/gu)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
        }
      }
    }
    return found;
  });

const views = [
  ["the start", [], ".start"],
  ["a failed report", ["gpu-unavailable"], ".report"],
  ["a dossier", ["application-passed"], ".report"],
  ["an operating range", ["sweep-margin"], ".sweep"],
  ["a limit that was reached", ["sweep-out-of-memory"], ".sweep"],
  ["a clean resume", ["resume-clean"], ".resume"],
  ["a training that diverged", ["resume-training-diverged"], ".resume"],
  ["a damaged checkpoint", ["resume-checkpoint-damaged"], ".resume"],
  ["a noise floor", ["noise-baseline"], ".noise"],
  ["a later check of the same card", ["noise-baseline", "recheck-newer-driver"], ".compare"],
  ["a comparison", ["application-passed", "contract-failed"], ".compare"],
  ["many reports", ["gpu-check-passed", "gpu-unavailable", "timeout"], ".many"],
];

for (const kind of browsers.filter(({ name }) => name === "chromium")) {
  describe(kind.name, () => {
    const held = browserFor({ before, after }, kind);

    for (const [name, reports, selector] of views) {
      for (const dark of [false, true]) {
        test(`${name} meets WCAG 2.2 AA in ${dark ? "dark" : "light"} colours`, async (t) => {
          const page = await open(t, held, { dark });
          if (reports.length > 0) await choose(page, reports.map((report) => fixture(`valid/${report}`)), selector);
          await page.$$eval("details", (all) => all.forEach((details) => (details.open = true)));
          assert.deepEqual(await violations(page), []);
        });
      }
    }

    for (const width of [360, 768, 1280, 1920]) {
      test(`nothing is wider than a window of ${width} pixels, in any language`, async (t) => {
        for (const language of ["en", "de", "tr"]) {
          for (const [name, reports, selector] of views) {
            const page = await open(t, held, { width, language });
            if (reports.length > 0) await choose(page, reports.map((report) => fixture(`valid/${report}`)), selector);
            const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            assert.ok(beyond <= 0, `${name}, ${language}: ${beyond} pixels`);
            const cut = await page.$$eval(".strip__name, .outcome, .button, .counts__name, th", (all) =>
              all
                .filter((one) => one.checkVisibility() && one.innerText && getComputedStyle(one).display !== "inline")
                // On small windows the heads are only for screen readers.
                .filter((one) => getComputedStyle(one.closest("thead") ?? one).position !== "absolute")
                .filter((one) => one.scrollWidth > one.clientWidth + 1)
                .map((one) => one.innerText),
            );
            assert.deepEqual(cut, [], `${name}, ${language}: cut off`);
            assert.deepEqual(await broken(page), [], `${name}, ${language}: words that go on in the next line`);
          }
        }
      });
    }

    test("hostile texts do not widen the page", async (t) => {
      const page = await open(t, held, { width: 360 });
      await choose(page, fixtures("hostile"), ".many");
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)) <= 0);
    });

    test("the keyboard alone opens, reads, compares and explains", async (t) => {
      const page = await open(t, held);
      /** Presses Tab until the focused element's text or label begins so. */
      const reach = async (wanted, limit = 80) => {
        for (let at = 0; at < limit; at += 1) {
          await page.keyboard.press("Tab");
          const found = await page.evaluate(() => {
            const focused = document.activeElement;
            const label = focused.getAttribute("aria-label") ?? focused.labels?.[0]?.innerText ?? focused.innerText ?? "";
            const ring = getComputedStyle(focused);
            return { label: `${focused.id} ${label}`.trim(), ring: focused === document.body || ring.outlineStyle !== "none" };
          });
          assert.ok(found.ring, `${found.label}: the focus is not seen`);
          if (found.label.startsWith(wanted)) return;
        }
        assert.fail(`Tab never reached "${wanted}"`);
      };
      await reach("A smaller number format");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".compare");
      assert.equal(await page.evaluate(() => document.activeElement.id), "view-heading");
      await reach("Swap");
      await page.keyboard.press("Space");
      await page.waitForFunction(() => document.querySelector(".heads__select").selectedOptions[0].innerText === "embeddings, bfloat16");
      await reach("compare-baseline-choice");
      await page.keyboard.press("ArrowUp");
      await page.waitForFunction(() => document.querySelector(".heads__select").selectedOptions[0].innerText === "embeddings, batch 32");
      await reach("Open this report");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".report");
      await reach("Every recorded field");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".raw__text");
      await page.focus(".bar__brand");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".start");
      await reach("log-text");
      await page.keyboard.type("CUDA driver version is insufficient for CUDA runtime version");
      await reach("Explain");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".log__fault");
    });

    test("the button that opens files is reached and opens the browser's own dialogue", async (t) => {
      const page = await open(t, held);
      await page.$$eval("button", (buttons) => buttons.find((button) => button.innerText === "Choose reports").focus());
      const waiting = page.waitForFileChooser({ timeout: 10_000 });
      // The browser is told to hand its dialogue over before the key is pressed.
      await new Promise((done) => setTimeout(done, 300));
      await page.keyboard.press("Enter");
      const chooser = await waiting;
      await chooser.accept([fixture("valid/gpu-unavailable")]);
      await page.waitForSelector(".report");
    });

    test("language and colours follow the choice", async (t) => {
      const page = await open(t, held, { language: "tr" });
      assert.equal(await page.evaluate(() => document.documentElement.lang), "tr");
      await press(page, "Koyu");
      await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
      await choose(page, fixture("valid/gpu-unavailable"), ".report");
      assert.match(await textOf(page, ".verdict__facts"), /Kasım 2026/);
      assert.match(await textOf(page, ".evidence"), /1,3/);
    });
  });
}
