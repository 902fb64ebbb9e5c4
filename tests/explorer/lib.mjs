// What the tests of the explorer share: a folder with models, servers, checks.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const HEADER = 12; // numbers of a path before its arrays
export const program = process.argv[2];
export const folder = mkdtempSync(join(tmpdir(), "riemann2-explore-"));
export const inFolder = (name) => join(folder, name);
process.env.OMP_WAIT_POLICY ??= "passive"; // other tests run beside this one

// ---- checks --------------------------------------------------------------------------------------

let passed = 0;
let failed = 0;

export function check(name, good, ...seen) {
  if (good) passed++;
  else {
    failed++;
    console.log(`FAILED ${name}`, ...seen);
  }
}

export function finish(title) {
  rmSync(folder, { recursive: true, force: true });
  console.log(`${title}: ${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

/** Largest difference relative to the largest entry. */
export function difference(a, b) {
  if (a.length !== b.length) return Infinity;
  let [worst, largest] = [0, 1e-300];
  for (let k = 0; k < a.length; k++) [worst, largest] = [Math.max(worst, Math.abs(a[k] - b[k])), Math.max(largest, Math.abs(b[k]))];
  return Number.isNaN(worst) ? Infinity : worst / largest;
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** True once `condition` holds; false if it does not within the time. */
export async function eventually(condition, milliseconds = 60000) {
  for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(40)) if (await condition()) return true;
  return false;
}

// ---- the browser ---------------------------------------------------------------------------------

const { chromium } = createRequire(join(import.meta.dirname, "../../explorer/package.json"))("playwright-core");

/** Chromium with a page that answers. The first start on a machine can fail while its caches are made, so there is a second try. */
export async function startBrowser(...flags) {
  const start = async () => {
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--enable-unsafe-swiftshader", ...flags], // three.js without a graphics card; the page itself is put together as Chromium does it there
    });
    await (await browser.newPage()).close();
    return browser;
  };
  return start().catch((error) => {
    console.log(`Chromium did not start: ${error.message}; second try`);
    return start();
  });
}

// ---- the program ---------------------------------------------------------------------------------

export const run = (...args) => execFileSync(program, args, { encoding: "utf8", cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
/** Exit code and texts of a command that may fail. */
export const attempt = (...args) => spawnSync(program, args, { encoding: "utf8", cwd: folder, timeout: 60000 });
export const runShell = (text) => execFileSync("sh", ["-c", text], { encoding: "utf8", cwd: folder, env: { ...process.env, PATH: `${join(program, "..")}:${process.env.PATH}` } });

/** A CSV table as rows of objects. */
export function table(text) {
  const [header, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(header.map((name, k) => [name, Number(row[k])])));
}

/** A small model of handwriting. */
export function makeToy(name = "toy.npz") {
  run("generate", "toy", "--demos", "4", "--points", "40", "-o", "toy.csv", "--force", "--quiet");
  run("fit", "toy.csv", "--manifold", "R2 x S2", "--group", "demo", "-o", name, "--force", "--quiet");
  return inFolder(name);
}

/** A server on a model; ends when this program does. */
export async function serve(model, { args = [], env = {} } = {}) {
  const child = spawn(program, ["explore", model, "--no-browser", "--until-eof", "--quiet", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let messages = "";
  child.stderr.on("data", (text) => (messages += text));
  const ended = new Promise((done) => child.once("exit", (code, signal) => done({ code, signal, messages })));
  const line = await Promise.race([new Promise((done) => createInterface({ input: child.stdout }).once("line", done)), ended.then(() => null)]);
  const url = line === null ? null : new URL(line);
  return {
    child,
    url: line,
    port: url && Number(url.port),
    token: url && url.pathname.split("/")[1],
    ended,
    stop: () => (child.stdin.end(), ended),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024,
  };
}

/** Numbers to the server and back. */
export async function ask(server, name, numbers, client = "") {
  const post = () => fetch(`${server.url}${name}?c=${client}`, { method: "POST", body: numbers instanceof Uint8Array ? numbers : new Float64Array(numbers) });
  // a server that was stopped for longer than its connections may idle closes them: ask on a new one, as the page does
  const response = await post().catch(post);
  const bytes = await response.arrayBuffer();
  return { status: response.status, values: response.ok ? new Float64Array(bytes) : null, text: response.ok ? "" : new TextDecoder().decode(bytes) };
}

export const write = (name, text) => (writeFileSync(inFolder(name), text), inFolder(name));
