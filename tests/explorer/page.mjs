// The page of riemann2 explore in a real Chromium: what a person does, compared with what the commands compute.
// Usage: node page.mjs PROGRAM [FOLDER FOR SCREENSHOTS]
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { check, difference, eventually, finish, folder, inFolder, makeToy, program, run, runShell, serve, sleep, startBrowser, table, write } from "./lib.mjs";

const pictures = process.argv[3];
const browser = await startBrowser();

// ---- a page that is watched ------------------------------------------------------------------------

/** A page on a server; what it prints and asks for outside is a failure. */
async function open(server, { width = 1280, height = 800, scheme = "light", hash = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const noise = [];
  const outside = [];
  // 409: the request was replaced by a newer one; the browser logs it, the page expects it. Without a graphics card the
  // browser reads what WebGL draws back from it, and its driver says that this is slow.
  const expected = (text) => text.includes("status of 409") || text.includes("GL Driver Message (OpenGL, Performance");
  page.on("console", (message) => expected(message.text()) || noise.push(message.text()));
  page.on("pageerror", (error) => noise.push(error.message));
  page.on("request", (request) => !/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url) && outside.push(request.url()));
  await page.goto(server.url + hash);
  const root = page.locator("html");
  const settled = async () => {
    await nextFrame(page);
    return eventually(async () => (await root.getAttribute("data-final")) === "true" && (await page.evaluate(() => !document.querySelector("#facts-path").classList.contains("rough"))), 60000);
  };
  await eventually(async () => (await root.getAttribute("data-ready")) === "true");
  await settled();
  return { page, context, noise, outside, settled, close: () => context.close() };
}

const number = (page, name) => page.locator(`#fact-${name}`).getAttribute("data-value").then(Number);
/** The page takes up what a person does in its next frame, which on a busy machine comes late. */
const nextFrame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
async function stateOf(page) {
  await nextFrame(page);
  return page.evaluate(() => JSON.parse(decodeURIComponent(location.hash.slice(1)) || "null"));
}
const button = (page, name) => page.getByRole("button", { name, exact: true });
/** Where a latent point is on the page, found by asking the map what it hovers over. */
async function locate(page, latent) {
  const box = await page.locator("#map-stage canvas").boundingBox();
  const shown = () => page.locator("#hover").getAttribute("data-latent");
  const hovered = async (x, y) => {
    const before = await shown();
    let found = before;
    await page.mouse.move(x, y);
    await eventually(async () => (found = await shown()) !== before && found !== "null");
    return JSON.parse(found);
  };
  const [ax, ay] = [box.x + 0.3 * box.width, box.y + 0.3 * box.height];
  const [bx, by] = [box.x + 0.7 * box.width, box.y + 0.7 * box.height];
  const a = await hovered(ax, ay);
  const b = await hovered(bx, by);
  return [ax + ((latent[0] - a[0]) / (b[0] - a[0])) * (bx - ax), ay + ((latent[1] - a[1]) / (b[1] - a[1])) * (by - ay)];
}

async function drag(page, from, to, steps = 12, pause = 25) {
  await page.mouse.move(...from);
  await page.mouse.down();
  for (let k = 1; k <= steps; k++) {
    await page.mouse.move(from[0] + ((to[0] - from[0]) * k) / steps, from[1] + ((to[1] - from[1]) * k) / steps);
    await sleep(pause);
  }
  await page.mouse.up();
}

/** Is anything drawn on the canvases of a stage? Counts colours. */
const colours = (page, selector) =>
  page.evaluate((where) => {
    const canvas = document.querySelector(where);
    if (!canvas) return 0; // its view is being loaded
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [200, 200];
    const ctx = copy.getContext("2d");
    ctx.drawImage(canvas, 0, 0, 200, 200);
    const { data } = ctx.getImageData(0, 0, 200, 200);
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
    return seen.size;
  }, selector);

/** What is on the clipboard, once it is what `wanted` says. */
async function eventuallyText(page, wanted) {
  let text = "";
  await eventually(async () => wanted((text = await page.evaluate(() => navigator.clipboard.readText()))));
  return text;
}

/** The Python package next to the program, if it is built. */
const packages = join(program, "../python");
const havePython = existsSync(join(packages, "riemann2/__init__.py"));
if (!havePython && process.env.CI === "true") check("the Python package is built", false, packages);
const runPython = (text) => Number(execFileSync("/usr/bin/python3", ["-c", text], { encoding: "utf8", cwd: folder, env: { ...process.env, PYTHONPATH: packages } }));

const commandLength = (command) => JSON.parse(runShell(`${command.replace("-o path.csv", "--json --spread-limit 1e6")}`)).curves[0].length;

// ---- handwriting: all that a person can do ---------------------------------------------------------

const model = makeToy();
const port = { args: [], env: { RIEMANN2_EXPLORE_TOKEN: "00112233445566778899aabbccddeeff" } };
let server = await serve(model, port);
{
  const { page, noise, outside, settled, close } = await open(server);
  check("title", (await page.title()).startsWith("toy.npz"));
  check("map is drawn", await eventually(async () => (await colours(page, "#map-stage canvas")) > 300));
  check("decoded view is drawn", await eventually(async () => (await colours(page, "#view-stage canvas")) > 20));

  // hover
  const box = await page.locator("#map-stage canvas").boundingBox();
  await page.mouse.move(box.x + 0.4 * box.width, box.y + 0.5 * box.height);
  await eventually(async () => (await page.locator("#hover").getAttribute("data-point")) !== "null");
  const latent = JSON.parse(await page.locator("#hover").getAttribute("data-latent"));
  const point = JSON.parse(await page.locator("#hover").getAttribute("data-point"));
  const [decoded] = table(run("decode", "toy.npz", `--at=${latent.join()}`, "--quiet"));
  check("hover decodes as the command", difference(point, ["x", "y", "sx", "sy", "sz"].map((c) => decoded[c])) < 1e-12, point, decoded);

  // drag the end
  const before = await number(page, "length");
  const start = await page.evaluate(() => Number(document.documentElement.dataset.paths));
  await button(page, "Straight line").click(); // writes the state to the address
  await settled();
  const { from, to } = await stateOf(page);
  const at = await locate(page, to);
  await page.mouse.move(...at);
  await page.mouse.down();
  for (let k = 1; k <= 30; k++) await page.mouse.move(at[0] + 2 * k, at[1] - (4 * k) / 3);
  let turn = 0; // the handle goes on moving, however slow the machine is
  const followed = await eventually(async () => {
    await page.mouse.move(at[0] + 60, at[1] - 40 - (++turn % 2));
    return (await page.evaluate(() => Number(document.documentElement.dataset.paths))) - start > 4;
  });
  await page.mouse.move(at[0] + 60, at[1] - 40);
  await page.mouse.up();
  check("paths follow the handle", followed);
  await settled();
  const moved = await stateOf(page);
  check("the end has moved", moved.to[0] > to[0] && difference(moved.from, from) < 1e-12, to, moved.to);
  const length = await number(page, "length");
  check("and so has the length", Math.abs(length - before) > 1e-6, before, length);
  const command = `riemann2 geodesic toy.npz --from=latent:${moved.from.join()} --to=latent:${moved.to.join()} -o path.csv`;
  check("length as the command computes it", Math.abs(commandLength(command) - length) < 1e-9 * length, length);

  // a point to pass
  const middle = [box.x + 0.5 * box.width, box.y + 0.45 * box.height];
  await page.mouse.dblclick(...middle);
  await eventually(async () => (await stateOf(page)).via.length === 1);
  await settled();
  check("a point to pass", (await stateOf(page)).via.length === 1 && (await number(page, "length")) !== length);
  await drag(page, middle, [middle[0], middle[1] + 30]);
  await settled();

  // an obstacle
  await button(page, "Add obstacle").click();
  await eventually(async () => (await stateOf(page)).obstacles.length === 1);
  await eventually(async () => (await page.locator("#fact-clearance").count()) === 1);
  await settled();
  check("an obstacle has a clearance", Number.isFinite(await number(page, "clearance")));

  // the command that is copied gives the same
  await button(page, "Copy as command").click();
  const copied = await eventuallyText(page, (text) => text.startsWith("riemann2 geodesic"));
  check("copied command gives the same length", Math.abs(commandLength(copied) - (await number(page, "length"))) < 1e-9 * length, copied);
  await button(page, "Copy as Python").click();
  const python = await eventuallyText(page, (text) => text.includes("rm2.load"));
  if (havePython) check("copied Python gives the same length", Math.abs(runPython(`${python}print(repr(path.length))`) - (await number(page, "length"))) < 1e-9 * length, python);

  // files
  const downloads = [];
  page.on("download", (one) => downloads.push(one));
  const download = async (name) => {
    const known = downloads.length;
    const find = () => downloads.slice(known).find((one) => one.suggestedFilename().endsWith(`.${name.toLowerCase()}`));
    await button(page, name).click();
    await eventually(find);
    return readFileSync(await find().path());
  };
  const csv = table((await download("CSV")).toString());
  check("path as CSV", csv.length === 200 && "z1" in csv[0] && "sz" in csv[0] && csv[199].t === 1, csv[0]);
  check("picture as PNG", (await download("PNG")).subarray(1, 4).toString() === "PNG");
  const svg = (await download("SVG")).toString();
  const parsed = await page.evaluate((text) => {
    const file = new DOMParser().parseFromString(text, "image/svg+xml");
    return [file.querySelectorAll("path").length, file.querySelector("parsererror")?.textContent ?? ""];
  }, svg);
  const drawn = svg.replace(/href="data:[^"]*"/g, ""); // the map in base64 may spell anything
  check("picture as SVG, with curves in it", svg.startsWith("<svg") && !drawn.includes("NaN") && parsed[0] > 5, parsed, svg.length);

  // reload
  const kept = await stateOf(page);
  const keptLength = await number(page, "length");
  await page.reload();
  await eventually(async () => (await page.locator("html").getAttribute("data-ready")) === "true");
  await settled();
  await eventually(async () => Math.abs((await number(page, "length")) - keptLength) < 1e-9 * keptLength);
  check("a reload keeps it", Math.abs((await number(page, "length")) - keptLength) < 1e-9 * keptLength, keptLength, await number(page, "length"));
  check("with all handles", kept.via.length === 1 && kept.obstacles.length === 1);

  // keys
  await page.locator("#map-stage").focus();
  for (const key of ["h", "h", "h"]) await page.keyboard.press(key);
  await page.keyboard.press("ArrowRight");
  await eventually(async () => JSON.stringify(await stateOf(page)) !== JSON.stringify(kept));
  check("arrows move a handle", JSON.stringify(await stateOf(page)) !== JSON.stringify(kept));
  const pressed = await button(page, "Straight line").getAttribute("aria-pressed");
  await page.keyboard.press("s");
  check("S shows the straight line", await eventually(async () => (await button(page, "Straight line").getAttribute("aria-pressed")) !== pressed));
  await page.keyboard.press("Space");
  check("Space plays", await eventually(async () => Number(await page.locator("#time").inputValue()) > 0.05));
  await page.keyboard.press("Space");
  await button(page, "Reset").click();
  check("Reset", await eventually(async () => (await stateOf(page)).via.length === 0 && (await stateOf(page)).obstacles.length === 0));
  await settled();

  // Delete removes the point to pass that was added last
  await page.mouse.dblclick(...middle);
  await eventually(async () => (await stateOf(page)).via.length === 1);
  await page.keyboard.press("Delete");
  check("Delete removes a point to pass", await eventually(async () => (await stateOf(page)).via.length === 0));
  await settled();

  // poses: an end that is typed, one that is taken from the map, one to pass
  await button(page, "Meet poses").click();
  const line = (name) => page.getByLabel(name, { exact: true });
  await line("Start").fill("1, 2, three");
  await button(page, "Apply").click();
  check("what is no pose is refused", await eventually(async () => (await page.locator("#pose-error").textContent()) === 'Start: "three" is not a number'), await page.locator("#pose-error").textContent());
  await line("Start").fill("1 2 3");
  await button(page, "Apply").click();
  check("with the names of the numbers", await eventually(async () => (await page.locator("#pose-error").textContent()) === "Start: expected 5 numbers (x, y, sx, sy, sz), got 3"), await page.locator("#pose-error").textContent());
  await line("Start").fill("");
  await page.getByRole("button", { name: "From map" }).last().click();
  await eventually(async () => (await line("End").inputValue()) !== "");
  const shown = (await line("End").inputValue()).split(",").map(Number); // rounded
  const goal = shown.map((x, k) => (k < 2 ? x : x / Math.hypot(...shown.slice(2))));
  const ends = [goal[0] + 0.1, ...goal.slice(1)];
  await line("End").fill(ends.join(" "));
  await button(page, "Add a pose to pass").click();
  const rows = table(readFileSync(inFolder("toy.csv"), "utf8"));
  const pass = [rows[20].x + 0.02, rows[20].y, null, null, null];
  await line("Pass 1").fill(pass.map((x) => x ?? "free").join(", "));
  if (pictures) await page.screenshot({ path: join(pictures, "poses-dialog.png") });
  await button(page, "Apply").click();
  check("poses are kept", await eventually(async () => JSON.stringify((await stateOf(page)).poses) === JSON.stringify([null, pass, ends])), (await stateOf(page)).poses);
  await settled();
  check("the page says that they are met", await eventually(async () => (await page.locator("#fact-poses").textContent()) === "3 met") && (await number(page, "poses")) <= 1e-9);
  check("and how far they are from the demonstrations", (await number(page, "stretch")) > 0 && (await number(page, "correction")) >= 0.05);
  const motion = table((await download("CSV")).toString());
  const [end, nearest] = [motion[motion.length - 1], Math.min(...motion.map((r) => Math.hypot(r.x - pass[0], r.y - pass[1])))];
  check("the motion ends there", difference(["x", "y", "sx", "sy", "sz"].map((c) => end[c]), ends) < 1e-9 && "correction" in end, end, ends); // the library's own bound
  check("and passes there", nearest < 1e-9, nearest);
  await button(page, "Copy as command").click();
  const meets = await eventuallyText(page, (text) => text.includes("point:"));
  runShell(meets);
  check("the copied command gives the same motion", difference(table(readFileSync(inFolder("path.csv"), "utf8")).map((r) => r.x), motion.map((r) => r.x)) < 1e-9, meets);
  await button(page, "Copy as Python").click();
  const calls = await eventuallyText(page, (text) => text.includes("goal_pose"));
  if (havePython) check("so does the copied Python", Math.abs(runPython(`${calls}print(repr(path.stretch))`) - (await number(page, "stretch"))) < 1e-9, calls);
  await page.reload();
  await eventually(async () => (await page.locator("html").getAttribute("data-ready")) === "true");
  await settled();
  check("a reload keeps poses", await eventually(async () => (await page.locator("#fact-poses").textContent()) === "3 met"));
  const stretch = await number(page, "stretch");
  await button(page, "Samples").click();
  await settled();
  check("samples leave it as it is", await eventually(async () => Math.abs((await number(page, "stretch")) - stretch) < 1e-9));
  await button(page, "Samples").click();
  await settled();
  const posed = await stateOf(page);
  await drag(page, await locate(page, posed.from), (await locate(page, posed.from)).map((x) => x + 15));
  await settled();
  check("a handle that is dragged leaves the other poses", JSON.stringify((await stateOf(page)).poses) === JSON.stringify([null, pass, ends]) && (await page.locator("#fact-poses").count()) === 1);
  await button(page, "Meet poses").click();
  await line("Ends").selectOption("encoded");
  await button(page, "Apply").click();
  check("encodings need whole poses", await eventually(async () => /free entries/.test(await page.locator("#pose-error").textContent())));
  await line("Pass 1").fill("");
  await button(page, "Apply").click();
  await eventually(async () => (await stateOf(page)).ends === "encoded");
  await settled();
  check("the old behaviour ends near the pose only", await eventually(async () => (await page.locator("#fact-poses").count()) === 0));
  const near = table((await download("CSV")).toString());
  check("which is not at it", Math.abs(near[near.length - 1].x - ends[0]) > 1e-6, near[near.length - 1].x, ends[0]);
  await button(page, "Meet poses").click();
  await page.keyboard.press("Escape");
  await button(page, "Reset").click();
  await button(page, "Meet poses").click();
  await line("Ends").selectOption("meet");
  await line("End").fill([ends[0] + 9, ...ends.slice(1)].join());
  await button(page, "Apply").click();
  check("a pose far away is said to be so", await eventually(async () => /times as far from the demonstrations/.test(await page.locator("#message").textContent())), await page.locator("#message").textContent());
  check("in red", (await page.locator("#fact-stretch.bad").count()) === 1);
  await button(page, "Reset").click();
  check("Reset lets poses go", await eventually(async () => (await stateOf(page)).poses.every((p) => p === null) && (await page.locator("#fact-poses").count()) === 0));
  await settled();

  // every view, samples, menus
  for (const view of ["Sphere", "Along the path", "Plane"]) {
    await button(page, view).click();
    check(`view ${view}`, (await eventually(async () => (await colours(page, "#view-stage canvas")) > 15)) && (await page.locator("#view-stage canvas").count()) === 1);
  }
  await button(page, "Samples").click();
  await page.getByLabel("Colour of the map").selectOption("deviation");
  await page.getByLabel("Colour of the points").selectOption("order");
  check("the menus are kept", await eventually(async () => (await stateOf(page)).mapColour === "deviation" && (await stateOf(page)).pointColour === "order"));

  // new data
  const dropped = readFileSync(inFolder("toy.csv"), "utf8").split("\n").slice(0, 11).join("\n");
  const drop = (text) =>
    page.evaluate((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], "<i>new</i>.csv"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, text);
  await drop(dropped);
  check("a dropped file is encoded", await eventually(async () => (await page.locator("#message").textContent()) === "10 points of <i>new</i>.csv encoded"), await page.locator("#message").textContent());
  check("it is in the legend", (await page.locator("#map-legend").textContent()).includes("new data"));
  check("its name is no markup", (await page.locator("#message i").count()) === 0);
  await drop("x,y\n1,2\n");
  check("a file that does not fit is a message", await eventually(async () => /column/.test(await page.locator("#message").textContent())), await page.locator("#message").textContent());
  check("which the browser logs, and nothing else", noise.every((text) => text.includes("422")), noise);
  noise.length = 0;

  // a connection that is closed while a request is under way
  await page.route("**/decode*", (route) => route.abort("connectionclosed"), { times: 1 });
  const earlier = await page.locator("#hover").getAttribute("data-point");
  await page.mouse.move(box.x + 0.35 * box.width, box.y + 0.4 * box.height);
  check("a request whose connection is closed is sent again", await eventually(async () => {
    const now = await page.locator("#hover").getAttribute("data-point");
    return now !== "null" && now !== earlier;
  }) && !/server has ended/.test(await page.locator("#message").textContent()));
  noise.length = 0; // the browser logs it

  // zoom and pan
  await page.mouse.move(...middle);
  await page.mouse.wheel(0, -400);
  await drag(page, [box.x + 20, box.y + 20], [box.x + 120, box.y + 60]);
  await sleep(500);
  await page.locator("#map-stage").focus();
  await page.keyboard.press("0");
  await sleep(400);
  check("the map is still drawn", await eventually(async () => (await colours(page, "#map-stage canvas")) > 100));
  await button(page, "Help").click();
  check("help", await page.locator("#help-dialog").isVisible());
  await button(page, "Close").click();

  check("no word on the console", noise.length === 0, noise);
  check("no request to the outside", outside.length === 0, outside);

  // the server ends, comes back, comes back with another model
  const { port: where } = server;
  await server.stop();
  await page.mouse.move(middle[0] + 40, middle[1]);
  check("the page says that the server has ended", await eventually(async () => /server has ended/.test(await page.locator("#message").textContent())));
  server = await serve(model, { args: ["--port", String(where)], env: port.env });
  check("and goes on when it is back", await eventually(async () => (await page.locator("#message").textContent()) === "" && (await page.title()).startsWith("toy.npz")));
  await settled();
  await server.stop();
  await page.mouse.move(middle[0], middle[1] + 40);
  await eventually(async () => /server has ended/.test(await page.locator("#message").textContent()));
  run("fit", "toy.csv", "--manifold", "R2 x S2", "--group", "demo", "--latent", "1", "-o", "other.npz", "--force", "--quiet");
  server = await serve(inFolder("other.npz"), { args: ["--port", String(where)], env: port.env });
  check("another model starts anew", await eventually(async () => (await page.title()).startsWith("other.npz")), await page.title());
  await close();
  await server.stop();
}

// ---- texts with markup -----------------------------------------------------------------------------

{
  const rows = ["h0,h1,h2,label"];
  const names = ["<img src=x onerror=alert(1)>", "a & b", "</script><b>"];
  for (let k = 0; k < 45; k++) {
    const [r, a] = [0.2 + 0.04 * k, (k % 3) * 2.1];
    rows.push([Math.cosh(r), Math.sinh(r) * Math.cos(a), Math.sinh(r) * Math.sin(a), names[k % 3]].join());
  }
  write("h2.csv", rows.join("\n"));
  run("fit", "h2.csv", "--manifold", "H2", "--label", "label", "-o", "<b>h2 &.npz", "--quiet");
  const one = await serve(inFolder("<b>h2 &.npz"));
  const { page, noise, close } = await open(one);
  check("labels are texts", (await page.locator("#map-legend").textContent()).includes(names[0]) && (await page.locator("img").count()) === 0);
  check("the file's name is a text", (await page.locator("#title").textContent()) === "<b>h2 &.npz");
  check("no word on the console", noise.length === 0, noise);
  await close();
  await one.stop();
}

// ---- manifolds, sizes, schemes ---------------------------------------------------------------------

{
  run("generate", "robot", "--demos", "3", "-o", "robot.csv", "--quiet");
  run("generate", "manipulability", "--demos", "3", "--points", "40", "-o", "man.csv", "--quiet");
  run("generate", "connectome", "--points", "30", "-o", "con.csv", "--quiet");
  const angles = ["demo,a1,a2,a3,a4,a5,a6,a7"];
  for (let d = 0; d < 3; d++) for (let i = 0; i < 25; i++) angles.push([d, ...Array.from({ length: 7 }, (_, j) => Math.sin(i / 8 + 0.3 * j + 0.05 * d) * 0.9 + (j === 6 ? 3 : 0))].join());
  write("t7.csv", angles.join("\n"));
  const fit = (file, manifold, out, ...more) => run("fit", file, "--manifold", manifold, "-o", out, "--quiet", ...more);
  fit("robot.csv", "R3 x S3", "robot.npz", "--group", "demo", "--time", "time");
  fit("man.csv", "R2 x SPD2", "man.npz", "--group", "demo");
  fit("con.csv", "SPD15", "con.npz", "--label", "label");
  fit("t7.csv", "T7", "t7.npz", "--group", "demo", "--angles");
  run("generate", "toy", "--demos", "3", "--points", "20", "-o", "few.csv", "--quiet"); // searches in four dimensions are long
  fit("few.csv", "R2 x S2", "toy3.npz", "--group", "demo", "--latent", "3");
  fit("few.csv", "R2 x S2", "toy4.npz", "--group", "demo", "--latent", "4");
  const cases = [
    ["robot.npz", ["Poses", "Along the path"], ["--arm", "panda"]],
    ["man.npz", ["Ellipses", "Along the path"], ["--arm", "planar:1,1,1,1"]],
    ["con.npz", ["Matrix SPD15", "Along the path"], []],
    ["t7.npz", ["Along the path"], []],
    ["other.npz", ["Plane"], []],
    ["toy3.npz", ["Plane"], []],
    ["toy4.npz", ["Sphere"], []],
    ["<b>h2 &.npz", ["Disc"], []],
  ];
  const windows = [
    { width: 1280, height: 800, scheme: "light" },
    { width: 800, height: 1200, scheme: "dark" },
  ];
  for (const [name, views, args] of cases) {
    const one = await serve(inFolder(name), { args });
    for (const window of windows) {
      const { page, noise, outside, close } = await open(one, window);
      const where = `${name} at ${window.width} x ${window.height}, ${window.scheme}`;
      for (const view of views) {
        await button(page, view).click();
        check(`${where}: ${view}`, await eventually(async () => (await colours(page, "#view-stage canvas")) > 10));
      }
      await button(page, views[0]).click();
      check(`${where}: map`, await eventually(async () => (await colours(page, "#map-stage canvas")) > 10));
      const overflow = await page.evaluate(() => [document.documentElement.scrollWidth > innerWidth, document.documentElement.scrollHeight > innerHeight]);
      check(`${where}: fits the window`, !overflow[0] && !overflow[1], overflow);
      check(`${where}: a length`, (await number(page, "length")) > 0);
      check(`${where}: silent and alone`, noise.length === 0 && outside.length === 0, noise, outside);
      if (pictures) {
        await sleep(1500);
        await page.screenshot({ path: join(pictures, `${name.replace(/\W/g, "")}-${window.scheme}.png`) });
      }
      await close();
    }
    await one.stop();
  }
}

// ---- motions: how they look in three sizes --------------------------------------------------------------

{
  const one = await serve(inFolder("robot.npz"));
  const points = new Float64Array(await (await fetch(`${one.url}points`)).arrayBuffer());
  const info = await (await fetch(`${one.url}model`)).json();
  const pose = (i) => Array.from(points.subarray(i * info.ambient, (i + 1) * info.ambient));
  const goal = pose(info.trajectories[0].count - 1).map((x, k) => (k === 1 ? x + 0.05 : x));
  const via = pose(info.trajectories[1].start + Math.round(info.trajectories[1].count / 2)).map((x, k) => (k < 3 ? x : null));
  const latent = Array.from(new Float64Array(await (await fetch(`${one.url}latents`)).arrayBuffer()).slice(0, info.latentDim));
  const state = { poses: [pose(0), via, goal], via: [latent], samples: true, time: 0.7 };
  for (const [width, height, scheme] of [[1400, 850, "light"], [900, 600, "dark"], [400, 800, "light"]]) {
    const { page, noise, close } = await open(one, { width, height, scheme, hash: `#${encodeURIComponent(JSON.stringify(state))}` });
    const where = `a motion at ${width} x ${height}`;
    check(`${where}: its poses are met`, await eventually(async () => / met$/.test(await page.locator("#fact-poses").textContent())));
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight);
    check(`${where}: fits the window`, await fits());
    if (pictures) {
      await sleep(2500);
      await page.screenshot({ path: join(pictures, `motion-${width}.png`) });
    }
    await button(page, "Meet poses").click();
    const box = await page.locator("#pose-dialog").boundingBox();
    check(`${where}: so does the dialog`, box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height && (await fits()), box);
    if (pictures) await page.screenshot({ path: join(pictures, `motion-${width}-dialog.png`) });
    check(`${where}: silent`, noise.length === 0, noise);
    await close();
  }
  await one.stop();
}

await browser.close();
void [folder, program];
finish("explorer page");
