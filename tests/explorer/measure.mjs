// Speed and memory of riemann2 explore, for docs/performance.md. Usage: node measure.mjs PROGRAM [MODEL OF MANY POINTS]
import { join } from "node:path";
import { ask, eventually, finish, folder, program, run, serve, sleep, startBrowser } from "./lib.mjs";

const browser = await startBrowser("--disable-accelerated-2d-canvas", "--js-flags=--expose-gc", "--enable-precise-memory-info");
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const attribute = (page, name) => page.evaluate((key) => document.documentElement.dataset[key], name);
const until = (page, name, value) => page.waitForFunction(([key, wanted]) => (wanted ? document.documentElement.dataset[key] === wanted : document.documentElement.dataset[key]), [name, value], { timeout: 120000, polling: 10 });

run("generate", "toy", "-o", "toy.csv", "--quiet");
run("fit", "toy.csv", "--manifold", "R2 x S2", "--group", "demo", "-o", "toy.npz", "--quiet");

// ---- first picture -------------------------------------------------------------------------------

let server;
let page;
for (let round = 0; round < 3; round++) {
  await page?.close();
  await server?.stop();
  page = await context.newPage();
  const started = performance.now();
  server = await serve(join(folder, "toy.npz"));
  const address = performance.now() - started;
  await page.goto(server.url, { waitUntil: "commit" });
  await until(page, "ready", "true");
  const points = performance.now() - started;
  await until(page, "grid", "");
  const map = performance.now() - started;
  await until(page, "paths", "");
  const path = performance.now() - started;
  console.log(`first picture, N = 1200: address ${address.toFixed(0)} ms, points ${points.toFixed(0)} ms, map ${map.toFixed(0)} ms, path ${path.toFixed(0)} ms`);
}

// ---- geodesics while dragging --------------------------------------------------------------------

await until(page, "final", "true");
await sleep(2000);
await page.keyboard.press("s"); // writes the state to the address
await sleep(300);
const box = await page.locator("#map-stage canvas").boundingBox();

/** Where the end handle is: the only place where the cursor of the map is a hand, and not the start's. */
async function findHandle() {
  for (let y = 0.1; y < 0.95; y += 0.02)
    for (let x = 0.04; x < 0.3; x += 0.02) {
      await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
      if ((await page.evaluate(() => document.querySelector("#map-stage canvas").style.cursor)) === "grab") return [box.x + x * box.width, box.y + y * box.height];
    }
  throw new Error("no handle found");
}

async function dragFor(milliseconds) {
  const [x, y] = await findHandle();
  await page.mouse.move(x, y);
  await page.mouse.down();
  const before = Number(await attribute(page, "paths"));
  const started = performance.now();
  for (let k = 0; performance.now() - started < milliseconds; k++) {
    await page.mouse.move(x + 70 + 60 * Math.sin(k / 25), y + 25 * Math.cos(k / 17));
    await sleep(8);
  }
  const rate = (1000 * (Number(await attribute(page, "paths")) - before)) / (performance.now() - started);
  await page.mouse.move(x, y);
  await page.mouse.up();
  await sleep(1500);
  return rate;
}
const heap = () => page.evaluate(() => (globalThis.gc?.(), performance.memory.usedJSHeapSize / 2 ** 20));
await dragFor(2000);
const heapBefore = await heap();
console.log(`geodesics per second while dragging: ${(await dragFor(8000)).toFixed(1)}; page ${heapBefore.toFixed(1)} MB before, server ${server.memory().toFixed(0)} MB`);
await dragFor(Number(process.env.DRAG ?? 30000));
console.log(`after dragging: page ${(await heap()).toFixed(1)} MB, server ${server.memory().toFixed(0)} MB`);

// ---- an hour of dragging, as requests ------------------------------------------------------------

{
  const latents = new Float64Array(await (await fetch(`${server.url}latents`)).arrayBuffer());
  const COUNT = Number(process.env.REQUESTS ?? 20000);
  const started = performance.now();
  for (let k = 0; k < COUNT; k++) await ask(server, "geodesic", [1, 2, latents[0], latents[1], latents[2 * (k % 1200)], latents[2 * (k % 1200) + 1], 0], "hour");
  const seconds = (performance.now() - started) / 1000;
  console.log(`${COUNT} geodesics, one after the other: ${(COUNT / seconds).toFixed(0)} per second, server ${server.memory().toFixed(0)} MB`);
}
await page.close();
await server.stop();

// ---- many points ---------------------------------------------------------------------------------

if (process.argv[3]) {
  const many = await serve(process.argv[3]);
  page = await context.newPage();
  const started = performance.now();
  await page.goto(many.url);
  await until(page, "ready", "true");
  console.log(`many points: on the screen after ${(performance.now() - started).toFixed(0)} ms, server ${many.memory().toFixed(0)} MB`);
  await eventually(() => attribute(page, "grid"), 120000);
  await sleep(3000);
  const frames = page.evaluate(
    () =>
      new Promise((done) => {
        const times = [];
        const step = (now) => (times.push(now), times.at(-1) - times[0] < 4000 ? requestAnimationFrame(step) : done(times.length / ((times.at(-1) - times[0]) / 1000)));
        requestAnimationFrame(step);
      }),
  );
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  const from = performance.now();
  for (let k = 0; performance.now() - from < 4200; k++) {
    await page.mouse.move(box.x + 300 + 60 * Math.sin(k / 20), box.y + 60 + 30 * Math.sin(k / 13));
    await sleep(5);
  }
  await page.mouse.up();
  console.log(`frames per second while panning: ${(await frames).toFixed(1)}`);
  await many.stop();
}
await browser.close();
void program;
finish("measurements");
