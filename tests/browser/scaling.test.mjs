// Before scaling up: the operating range, the proof of stop and resume, the noise floor, and what changed since.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browserFor, browsers, choose, fixture, folder, open, reportOf, textOf, textsOf, write } from "./open.mjs";

/** Opens one report, changed by `change`. */
async function opened(t, held, name, selector, options, change) {
  const page = await open(t, held, options);
  let path = fixture(name);
  if (change) {
    const report = reportOf(name);
    change(report.application);
    path = write(folder(t), "changed.json", JSON.stringify(report));
  }
  await choose(page, path, selector);
  return page;
}

/** Rectangles of all such elements. */
const places = (page, selector) =>
  page.$$eval(selector, (all) =>
    all.map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { text: one.textContent, left, right, top, bottom };
    }),
  );

/** Pairs of texts of a chart that lie over each other. */
async function overlaps(page, selector) {
  const found = [];
  const charts = await page.$$eval(selector, (all) => all.length);
  for (let chart = 0; chart < charts; chart += 1) {
    const texts = await page.$$eval(
      selector,
      (all, at) =>
        [...all[at].querySelectorAll("text")].map((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          // Lines of text may touch with the empty part of their height.
          return { text: one.textContent, left, right, top: top + 2, bottom: bottom - 2 };
        }),
      chart,
    );
    for (const [at, one] of texts.entries()) {
      for (const other of texts.slice(at + 1)) {
        if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom) found.push(`${one.text} / ${other.text}`);
      }
    }
  }
  return found;
}

for (const kind of browsers) {
  describe(kind.name, () => {
    const held = browserFor({ before, after }, kind);

    test("an operating range is a sentence, two curves and a row for each step", async (t) => {
      const page = await opened(t, held, "valid/sweep-margin", ".sweep");
      assert.match(await textOf(page, ".sweep .lead"), /384 is the last good step. 448 was refused before its start/);
      assert.equal(await page.$$eval(".sweep .plot", (plots) => plots.length), 2);
      const [memory, throughput] = await page.$$eval(".sweep .plot", (plots) => plots.map((plot) => [...plot.querySelectorAll("text")].map((text) => text.textContent)));
      for (const text of ["last good: 384", "first refused: 448"]) assert.ok(memory.includes(text), text);
      assert.match(await textOf(page, ".sweep .legend"), /limit 79.2 GiB less the margin 71.3 GiB/);
      assert.ok(throughput.includes("rises no more"));
      assert.deepEqual(await textsOf(page, ".sweep tbody th"), ["32", "64", "128", "256", "512", "384", "448"]);
      assert.match((await textsOf(page, ".sweep tbody tr"))[4], /refused.*margin/);
      assert.equal(await page.$$eval(".sweep .plot__point title", (titles) => titles.length), 12);
    });

    test("what stands higher in memory stands higher in the chart, in a window of any width", async (t) => {
      for (const width of [360, 1280]) {
        const page = await opened(t, held, "valid/sweep-margin", ".sweep", { width });
        const [memory] = await page.$$(".sweep .plot__area");
        const points = await memory.$$eval(".plot__point", (all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2]));
        const frame = await memory.evaluate((one) => one.getBoundingClientRect().toJSON());
        const [limit] = await memory.$$eval(".plot__limit", (all) => all.map((one) => one.getBoundingClientRect().top));
        // In the order in which they were tried: 512 was refused, then 384 was good.
        for (const at of [1, 2, 3, 4]) assert.ok(points[at][0] > points[at - 1][0] && points[at][1] < points[at - 1][1], `step ${at}`);
        assert.ok(points[4][1] < limit && points[5][1] > limit);
        for (const [across] of points) assert.ok(across >= frame.left && across <= frame.right);
      }
    });

    test("a proof of stop and resume is a sentence, before and after, and what outlives the host", async (t) => {
      const page = await opened(t, held, "valid/resume-clean", ".resume");
      assert.match(await textOf(page, ".resume .lead.passed"), /went on where it was/);
      const rows = await textsOf(page, ".resume tbody tr");
      assert.equal(rows[0], "Outputs 512 224 512");
      assert.match(rows.at(-1), /ext4.*760 MiB × 2.*200 GiB free/);
      const damaged = await opened(t, held, "valid/resume-checkpoint-damaged", ".resume");
      assert.match(await textOf(damaged, ".resume .lead.failed"), /could not be opened/);
      assert.equal(await damaged.$$eval(".resume tbody tr.failed .outcome.failed", (all) => all.length), 4);
    });

    test("a training that diverged is drawn beside its reference, and its shape is called a hint", async (t) => {
      const page = await opened(t, held, "valid/resume-training-diverged", ".resume");
      assert.equal(await page.$$eval(".resume .plot__line", (lines) => lines.length), 2);
      assert.match(await textOf(page, ".hint"), /^A hint, not a verdict: .*optimiser/);
      const [moment] = await places(page, ".plot__moment");
      const [reference, resumed] = await places(page, ".resume .plot__line");
      const lines = reference.left < resumed.left ? { reference, resumed } : { reference: resumed, resumed: reference };
      assert.ok(Math.abs(lines.resumed.left - moment.left) < 2);
    });

    test("a noise floor shows its spread, and a later check what changed since", async (t) => {
      const page = await opened(t, held, "valid/noise-baseline", ".noise");
      assert.match(await textOf(page, ".noise"), /made 5 times; 5 of them passed/);
      assert.match((await textsOf(page, ".noise tbody tr"))[0], /import .*1.26 s 1.28 s 1.41 s 11 %/);
      const both = await open(t, held);
      await choose(both, [fixture("valid/noise-baseline"), fixture("valid/recheck-newer-driver")], ".compare");
      const differences = await textsOf(both, ".differences tbody tr");
      assert.ok(differences.some((row) => row.includes("host.driver_version") && row.includes("580.105.08")));
      const worse = differences.find((row) => row.includes("execution.timings.first_pass_ms"));
      assert.match(worse, /▼ worse.*noise: .*16 %/);
      assert.match(differences.find((row) => row.includes("execution.timings.import_ms")), /≈ within noise/);
      assert.ok((await textsOf(both, ".compare__remarks li")).some((remark) => /first pass \+25.6 %/.test(remark)));
    });

    test("texts of a chart never lie over each other", async (t) => {
      for (const width of [360, 1280]) {
        for (const language of ["en", "de", "tr"]) {
          for (const name of ["sweep-margin", "sweep-out-of-memory", "resume-training-diverged", "application-passed"]) {
            const page = await opened(t, held, `valid/${name}`, ".plot", { width, language });
            assert.deepEqual(await overlaps(page, ".plot__area"), [], `${name}, ${width}, ${language}`);
          }
        }
      }
    });

    test("odd numbers are drawn without an error", async (t) => {
      const odd = [
        ["valid/sweep-margin", ({ sweep }) => sweep.steps.forEach((step) => Object.assign(step, { peak_bytes: null, predicted_bytes: null, throughput: null }))],
        ["valid/sweep-margin", ({ sweep }) => (sweep.steps = sweep.steps.slice(5, 6))],
        ["valid/sweep-margin", ({ sweep }) => sweep.steps.forEach((step, at) => Object.assign(step, { value: at === 5 ? 384 : -at, peak_bytes: 0, predicted_bytes: 0, throughput: 0 }))],
        ["valid/resume-training-diverged", ({ resume }) => resume.training.reference.forEach((point) => (point.loss = null))],
        ["valid/resume-training-diverged", ({ resume }) => Object.assign(resume.training, { reference: [{ step: 1, loss: 1 }], resumed: [], shape: "spiral" })],
      ];
      for (const [name, change] of odd) {
        const page = await opened(t, held, name, ".report", {}, change);
        const wrong = await page.$$eval(".plot [d], .plot [x], .plot [y]", (all) => all.map((one) => one.outerHTML).filter((text) => /NaN|inf/i.test(text)));
        assert.deepEqual(wrong, []);
      }
    });
  });
}
