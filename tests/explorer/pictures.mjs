// The pictures of the explorer in docs/figures. Usage: node tests/explorer/pictures.mjs PROGRAM FOLDER
import { join } from "node:path";
import { HEADER, ask, eventually, finish, inFolder, makeToy, run, serve, sleep, startBrowser } from "./lib.mjs";

const browser = await startBrowser();

/** A picture of the page with a state, once its path is final. */
async function picture(server, name, scheme, state) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: scheme })).newPage();
  await page.goto(`${server.url}#${encodeURIComponent(JSON.stringify(state))}`);
  await eventually(async () => (await page.locator("html").getAttribute("data-final")) === "true");
  await sleep(3000);
  await page.screenshot({ path: join(process.argv[3], name) });
}

run("generate", "robot", "--demos", "6", "--points", "60", "-o", "robot.csv", "--quiet");
run("fit", "robot.csv", "--manifold", "R3 x S3", "--group", "demo", "--time", "time", "-o", "robot.npz", "--quiet");
const robot = await serve(inFolder("robot.npz"), { args: ["--arm", "panda"] });
await picture(robot, "explorer-robot.png", "light", { time: 0.45 });
await robot.stop();

// an obstacle on the way, a little beside it so that one side is shorter
const toy = await serve(makeToy());
const info = await (await fetch(`${toy.url}model`)).json();
const latents = new Float64Array(await (await fetch(`${toy.url}latents`)).arrayBuffer());
const Q = info.latentDim;
const [from, to] = [[...latents.slice(0, Q)], [...latents.slice(-Q)]];
const path = (await ask(toy, "geodesic", [2, 2, ...from, ...to, 0])).values;
const middle = HEADER + path[0] * Q + Math.round(0.6 * path[0]) * info.ambient;
const obstacles = [{ centre: [path[middle] + 0.05, path[middle + 1]], radius: 0.12 }];
await picture(toy, "explorer-toy.png", "dark", { from, to, obstacles, straight: true, samples: true, view: "Plane", time: 0.3 });
await toy.stop();

await browser.close();
finish("pictures");
