// What every test needs: a browser, the page from disk, and a watch over what it does.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The page that is tested. */
export const pagePath = process.env.FIRSTFAULT_PAGE ?? join(root, "web/dist/index.html");
/** The program, for the pages that it makes; undefined where there is none. */
export const program = process.env.FIRSTFAULT_BIN;

assert.ok(existsSync(pagePath), `no page at ${pagePath}: build it with cargo xtask page, or set FIRSTFAULT_PAGE`);

/** The path of a fixture: `valid/gpu-unavailable`. */
export const fixture = (name) => join(root, "schema/fixtures", `${name}.json`);
/** The paths of all fixtures of a folder. */
export const fixtures = (folder) =>
  readdirSync(join(root, "schema/fixtures", folder))
    .sort()
    .map((name) => join(root, "schema/fixtures", folder, name));
/** A fixture as an object. */
export const reportOf = (name) => JSON.parse(readFileSync(fixture(name), "utf8"));

/** A folder that is removed when the test ends. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "firstfault-page-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes a file into a folder and gives its path. */
export function write(path, name, content) {
  const file = join(path, name);
  writeFileSync(file, content);
  return file;
}

function find(names) {
  for (const name of names) {
    for (const place of (process.env.PATH ?? "").split(delimiter)) {
      const path = join(place, name);
      if (existsSync(path)) return path;
    }
  }
  return undefined;
}

const chromium = process.env.FIRSTFAULT_TEST_CHROMIUM ?? find(["chromium", "chromium-browser", "google-chrome"]);
const firefox = process.env.FIRSTFAULT_TEST_FIREFOX ?? find(["firefox-esr", "firefox"]);

const chromiumArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // No name resolves: whatever asked for the network would fail, and be seen.
  "--host-resolver-rules=MAP * ~NOTFOUND",
];

/** The browsers that are here: name, and how each is started. */
export const browsers = [
  {
    name: "chromium",
    path: chromium,
    launch: (...more) => puppeteer.launch({ executablePath: chromium, headless: true, args: [...chromiumArguments, ...more] }),
  },
  {
    name: "firefox",
    path: firefox,
    launch: () =>
      puppeteer.launch({
        browser: "firefox",
        executablePath: firefox,
        headless: true,
        extraPrefsFirefox: { "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9 },
      }),
  },
].filter(({ path }) => path);

assert.ok(browsers.some(({ name }) => name === "chromium"), "no Chromium: install the package chromium, or set FIRSTFAULT_TEST_CHROMIUM");

/** Starts a browser for the tests of one suite. */
export function browserFor(suite, { launch }) {
  const held = {};
  suite.before(async () => {
    held.browser = await launch();
  });
  suite.after(async () => {
    await held.browser?.close();
  });
  return held;
}

/** Opens the page from disk. Anything that it loads, throws or logs fails the test when it ends. */
export async function open(t, held, { path = pagePath, width = 1280, height = 900, language = "en", fragment = "", dark = false } = {}) {
  const page = await held.browser.newPage();
  const document = pathToFileURL(path).href;
  const seen = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("data:") && url.split("#")[0] !== document) seen.push(`request: ${url}`);
  });
  page.on("pageerror", (error) => seen.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warn", "assert"].includes(message.type())) seen.push(`console: ${message.text()}`);
  });
  t.after(async () => {
    await page.close();
    assert.deepEqual(seen, [], "the page asked for, threw or logged something");
  });
  await page.setViewport({ width, height });
  if (dark) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await page.goto(document + fragment, { waitUntil: "load" });
  await page.waitForSelector("main h1");
  if (language) await page.select(".bar__language select", language);
  return page;
}

/** Opens files by the button, and waits for what they lead to. */
export async function choose(page, paths, selector = "main:not(.start)") {
  const input = await page.waitForSelector("input[type=file]");
  await input.uploadFile(...[paths].flat());
  if (selector) await page.waitForSelector(selector);
}

/** Drops files onto the page, as the browser would; a name that ends in `/` is a folder. */
export async function drop(page, files) {
  await page.evaluate((files) => {
    const transfer = new DataTransfer();
    for (const { name, text } of files) transfer.items.add(new File([text], name));
    for (const type of ["dragover", "drop"]) {
      const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer });
      document.querySelector("main").dispatchEvent(event);
    }
  }, files);
}

/** The text that people see of an element. */
export const textOf = (page, selector) => page.$eval(selector, (element) => element.innerText.replace(/\s+/g, " ").trim());
/** The texts of all such elements. */
export const textsOf = (page, selector) =>
  page.$$eval(selector, (elements) => elements.map((element) => element.innerText.replace(/\s+/g, " ").trim()));

/** Presses the button with this text. */
export async function press(page, text) {
  const done = await page.evaluate((text) => {
    const found = [...document.querySelectorAll("button")].find((button) => button.innerText.replace(/\s+/g, " ").trim().startsWith(text));
    found?.click();
    return Boolean(found);
  }, text);
  assert.ok(done, `no button that begins with "${text}"`);
}

/** Runs the program; fails the test with everything that it said where it ends badly. */
export function run(...parameters) {
  try {
    return execFileSync(program, parameters, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${basename(program)} ${parameters.join(" ")}: exit ${error.status}\n${error.stdout}\n${error.stderr}`);
  }
}
