// The page from disk, offline: what it opens, what it refuses, what it never does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { browserFor, browsers, choose, drop, fixture, fixtures, folder, open, pagePath, press, program, reportOf, run, textOf, textsOf, write } from "./open.mjs";

test("the policy is exactly the agreed one, with the hash of the page's own script", () => {
  const page = readFileSync(pagePath, "utf8");
  const [, policy] = page.match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/);
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)];
  assert.equal(scripts.length, 1);
  const hash = createHash("sha256").update(scripts[0][1]).digest("base64");
  assert.equal(
    policy,
    `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; ` +
      "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
});

test("the page has at most 600 kB", () => {
  const { length } = readFileSync(pagePath);
  assert.ok(length <= 600_000, `${length} bytes`);
});

for (const kind of browsers) {
  describe(kind.name, () => {
    const held = browserFor({ before, after }, kind);

    test("two reports are opened, read and compared", async (t) => {
      const page = await open(t, held);
      await choose(page, [fixture("valid/cpu-check-passed"), fixture("valid/gpu-unavailable")], ".compare");
      assert.match(await textOf(page, "h1"), /cannot be compared/);
      await press(page, "Swap");
      await page.waitForFunction(() => document.querySelector(".heads__code code").innerText === "GPU_UNAVAILABLE");
      await press(page, "All 2");
      await page.waitForSelector(".many");
      await press(page, "rented host, first try");
      await page.waitForSelector(".report");
      assert.deepEqual(await textsOf(page, ".decisions .outcome"), ["passed", "failed", "not reached", "not requested"]);
      assert.equal(await textOf(page, ".strip__step--first .strip__id"), "driver");
      assert.match(await textOf(page, ".strip__step--first"), /failed/);
      assert.equal(await page.$$eval(".strip__step--first ~ .strip__step.passed", (later) => later.length), 0);
      assert.match(await textOf(page, ".actions__owner"), /Host/);
    });

    test("only differences are shown, with the count of the unchanged", async (t) => {
      const page = await open(t, held);
      await choose(page, [fixture("valid/application-passed"), fixture("valid/application-passed-bfloat16")], ".compare");
      const differences = await textsOf(page, ".differences tbody .field-path");
      assert.ok(differences.includes("attempt.parameters.precision"));
      assert.ok(!differences.includes("pytorch.version"));
      assert.match(await textOf(page, ".compare > .fold summary"), /^\d+ fields unchanged/);
      const change = (path) =>
        page.$$eval(".differences tbody tr", (rows, path) => rows.find((row) => row.querySelector(".field-path").innerText === path)?.querySelector(".change").innerText, path);
      assert.match(await change("application.passes.following.median"), /▲ better/);
      assert.match(await change("execution.timings.import_ms"), /≈ within noise/);
    });

    test("every valid report opens, and every text in it is worded", async (t) => {
      const page = await open(t, held);
      const all = fixtures("valid");
      await choose(page, all, ".many");
      for (const language of ["en", "de", "tr"]) {
        await page.select(".bar__language select", language);
        for (let at = 0; at < all.length; at += 1) {
          await page.$$eval(".many tbody th .link", (links, at) => links[at].click(), at);
          await page.waitForSelector(".report");
          const unworded = await page.$eval(".report", (report) =>
            [...report.querySelectorAll("h1, h2, h3, h4, p, b, dt, td, th, figcaption span, svg text, small, .outcome, .strip__name, .strip__outcome, .decisions td, .button, summary, li")]
              .map((element) => (element.innerText ?? element.textContent).trim())
              .filter((text) => /^[a-z]+(-[a-z0-9]+){1,}$/.test(text) && text !== "nvidia-smi"),
          );
          assert.deepEqual(unworded, [], `${language}, report ${at}`);
          await page.evaluate(() => document.querySelector(".bar__tab").click());
          await page.waitForSelector(".many");
        }
      }
    });

    test("a hostile report is text", async (t) => {
      const page = await open(t, held);
      const before = await page.evaluate(() => document.querySelectorAll("script, img, style, iframe, a[href]").length);
      await choose(page, fixtures("hostile"), ".many");
      const count = await page.$$eval(".many tbody th .link", (links) => links.length);
      assert.equal(count, fixtures("hostile").length);
      const seen = [];
      for (let at = 0; at < count; at += 1) {
        await page.$$eval(".many tbody th .link", (links, at) => links[at].click(), at);
        await page.waitForSelector(".report");
        await page.click(".raw summary");
        await page.waitForSelector(".raw__text");
        seen.push(await page.$eval("main", (main) => main.innerText));
        assert.equal(await page.evaluate(() => document.querySelectorAll("script, img, style, iframe, a[href]").length), before);
        await page.evaluate(() => document.querySelector(".bar__tab").click());
        await page.waitForSelector(".many");
      }
      assert.match(await page.title(), /FirstFault/);
      const text = seen.join("\n");
      assert.ok(text.includes('</script><img src=x onerror="document.title=1">'));
      assert.ok(text.includes("safe⟨U+202E⟩gnp.exe"));
      assert.ok(text.includes("␛[31mred␛[0m"));
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/);
    });

    test("a text of 200 kB is shortened until all of it is asked for", async (t) => {
      const page = await open(t, held);
      await choose(page, fixture("hostile/long-text"), ".report");
      const title = () => page.$eval(".verdict__title", (element) => element.innerText.length);
      assert.ok((await title()) < 1000);
      await page.click(".verdict__title .text__more");
      await page.waitForFunction(() => document.querySelector(".verdict__title").innerText.length >= 200_000);
    });

    test("each kind of bad file gets its own notice, and the good one opens", async (t) => {
      const page = await open(t, held);
      const path = folder(t);
      const huge = write(path, "huge.json", Buffer.alloc(65 * 1024 * 1024, 32));
      const files = {
        "truncated.json": /cut off/,
        "foreign.json": /not a FirstFault report/,
        "array.json": /not a FirstFault report/,
        "not-json.json": /not JSON/,
        "empty.json": /is empty/,
        "newer-version.json": /newer version: format 7/,
        "exit-code-of-another-code.json": /contradicts itself.*exit_code/,
        "execution-missing.json": /missing or of the wrong kind/,
        "huge.json": /65 MiB and was not read/,
        "page.html": /not one of FirstFault/,
      };
      const paths = Object.keys(files).map((name) => {
        if (name === "huge.json") return huge;
        if (name === "page.html") return write(path, name, "<!doctype html><title>x</title>");
        return fixture(`invalid/${name.replace(".json", "")}`);
      });
      await choose(page, [...paths, fixture("valid/gpu-check-passed")], ".report");
      const notices = await textsOf(page, ".notices__item");
      for (const [name, expected] of Object.entries(files)) {
        const own = notices.find((notice) => notice.startsWith(name));
        assert.match(own ?? "", expected, name);
      }
      assert.equal(notices.length, paths.length);
      await press(page, "Dismiss");
      await page.waitForFunction(() => !document.querySelector(".notices"));
      assert.match(await textOf(page, ".verdict__code"), /GPU_CHECK_PASSED/);
    });

    test("what is open stays open, and the same file again is said to be open", async (t) => {
      const page = await open(t, held);
      await choose(page, fixture("valid/gpu-check-passed"), ".report");
      await choose(page, [fixture("valid/gpu-check-passed"), fixture("invalid/truncated")], ".notices");
      assert.deepEqual((await textsOf(page, ".notices__item")).map((text) => text.split(" ")[0]), ["gpu-check-passed.json", "truncated.json"]);
      assert.equal(await page.$$eval(".report", (reports) => reports.length), 1);
    });

    test("a thousand files dropped at once open", async (t) => {
      const page = await open(t, held);
      const report = reportOf("valid/gpu-check-passed");
      const files = Array.from({ length: 1000 }, (_, at) => {
        report.attempt.id = at.toString(16).padStart(32, "0");
        report.attempt.label = `node-${at}`;
        return { name: `${at}.json`, text: JSON.stringify(report) };
      });
      await drop(page, files);
      await page.waitForFunction(() => document.querySelector(".many h1")?.innerText === "1000 reports", { timeout: 20_000 });
      await page.type(".many__search input", "node-77");
      await page.waitForFunction(() => document.querySelector(".many__tools .quiet").innerText === "11 fit");
    });

    test("a view can be returned to by its address", async (t) => {
      const page = await open(t, held);
      await choose(page, [fixture("valid/gpu-check-passed"), fixture("valid/gpu-unavailable")], ".compare");
      const compared = await page.evaluate(() => location.hash);
      assert.match(compared, /^#compare=[0-9a-f]{32},[0-9a-f]{32}$/);
      await press(page, "All 2");
      await page.waitForSelector(".many");
      await page.goBack();
      await page.waitForSelector(".compare");
      const again = await open(t, held, { fragment: compared });
      await choose(again, [fixture("valid/gpu-unavailable"), fixture("valid/gpu-check-passed"), fixture("valid/timeout")], ".compare");
      assert.equal(await again.evaluate(() => location.hash), compared);
    });

    test("a pasted log is explained, and a healthy one is not accused", async (t) => {
      const page = await open(t, held);
      await page.type("#log-text", "step 1\nRuntimeError: The NVIDIA driver on your system is too old (found version 12020).\n");
      await page.keyboard.down("Control");
      await page.keyboard.press("Enter");
      await page.keyboard.up("Control");
      await page.waitForSelector(".log__fault");
      assert.match(await textOf(page, ".log__fault"), /Driver.*Host.*driver-too-old/);
      await page.$eval("#log-text", (area) => (area.value = "epoch 1 loss 0.42\nepoch 2 loss 0.31\n"));
      await press(page, "Explain");
      await page.waitForFunction(() => document.querySelectorAll(".log__fault").length === 0);
      assert.match(await textOf(page, ".log__result"), /No known fault/);
    });

    test("the examples open without a file", async (t) => {
      const page = await open(t, held);
      await press(page, "A driver that is too old");
      await page.waitForSelector(".report");
      await page.click(".bar__brand");
      await page.waitForSelector(".start");
      await press(page, "Open the fault gallery");
      await page.waitForSelector(".many");
      const groups = await textsOf(page, ".many__group");
      for (const layer of ["Interpreter", "Import", "Package", "Driver", "Exposure", "Allocation", "Computation"]) {
        assert.ok(groups.some((group) => group.startsWith(layer)), layer);
      }
    });

    test("a dossier shows its contract, its stages and its limit", async (t) => {
      const page = await open(t, held);
      await choose(page, fixture("valid/contract-failed"), ".report");
      assert.equal(await page.$$eval(".dossier tr.failed", (rows) => rows.length), 2);
      assert.match(await textOf(page, ".dossier tr.failed"), /doc-0117/);
      await choose(page, fixture("valid/application-passed"), ".sweep");
      assert.match(await textOf(page, ".sweep"), /256 is the last good step. 512 was bad: memory ran out/);
      assert.ok((await page.$$eval(".timeline rect title", (titles) => titles.length)) >= 4);
    });

    test("pages that carry reports show them, and give them back", { skip: !program && "FIRSTFAULT_BIN is not set" }, async (t) => {
      const path = folder(t);
      const both = `${path}/both.html`;
      run("page", fixture("valid/gpu-check-passed"), fixture("hostile/markup"), "--output", both);
      const page = await open(t, held, { path: both });
      await page.waitForSelector(".compare");
      const other = await open(t, held);
      await choose(other, both, ".compare");
      assert.equal(await other.$$eval(".heads__one", (heads) => heads.length), 2);
    });
  });
}
