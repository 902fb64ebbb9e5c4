// The server of riemann2 explore without a browser: answers that equal those of the commands, hostile
// requests, many clients, its beginning and its end. Usage: node server.mjs PROGRAM
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { HEADER, ask, attempt, check, difference, eventually, finish, inFolder, makeToy, program, run, serve, sleep, table, write } from "./lib.mjs";

const model = makeToy();
let server = await serve(model);

/** A request with headers of one's own: fetch does not allow a foreign Host. */
function raw({ path = `/${server.token}/`, method = "GET", headers = {}, body = null }) {
  return new Promise((done) => {
    const r = request({ host: "127.0.0.1", port: server.port, path, method, headers: { Host: `127.0.0.1:${server.port}`, ...headers } }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => done({ status: response.statusCode, headers: response.headers, text }));
      response.on("error", () => done({ status: 0, text: "" }));
    });
    r.on("error", () => done({ status: 0, text: "" }));
    r.end(body);
  });
}

/** Bytes as they are, then the connection is cut off. */
function spill(bytes, wait = 0) {
  return new Promise((done) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes, () => setTimeout(() => (socket.destroy(), done()), wait)));
    socket.on("error", () => done());
    socket.on("data", () => {});
  });
}

/** Bytes as they are, and what comes back. */
function converse(bytes) {
  return new Promise((done) => {
    let text = "";
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (part) => ((text += part), socket.destroy()));
    socket.on("close", () => done(text)).on("error", () => done(""));
  });
}

const info = await (await fetch(`${server.url}model`)).json();
const latents = new Float64Array(await (await fetch(`${server.url}latents`)).arrayBuffer());
const Q = info.latentDim;
const row = (i) => Array.from(latents.subarray(i * Q, (i + 1) * Q));
const alive = async () => (await ask(server, "decode", row(0))).status === 200;

// ---- the address ---------------------------------------------------------------------------------

check("address", /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(server.url), server.url);
{
  const port = server.port.toString(16).toUpperCase().padStart(4, "0");
  const listening = (file) => readFileSync(file, "utf8").split("\n").map((line) => line.trim().split(/\s+/)).filter((w) => w[1]?.endsWith(`:${port}`) && w[3] === "0A").map((w) => w[1].split(":")[0]);
  const v4 = listening("/proc/net/tcp");
  const v6 = listening("/proc/net/tcp6");
  check("only loopback is bound", v4.length === 1 && v4[0] === "0100007F" && v6.every((a) => a === "00000000000000000000000001000000"), v4, v6);
}

// ---- answers -------------------------------------------------------------------------------------

{
  const at = row(7).map((x) => x + 0.01);
  const [expected] = table(run("decode", "toy.npz", `--at=${at.join()}`, "--quiet"));
  const { values } = await ask(server, "decode", at);
  const columns = [...info.columns.map((name) => expected[name]), expected.deviation];
  check("decode as the command does", difference(values, columns) < 1e-12, values, columns); // the same numbers, printed with 17 digits
  const ends = [row(0), row(info.points - 1)];
  const [curve] = JSON.parse(run("geodesic", "toy.npz", `--from=latent:${ends[0].join()}`, `--to=latent:${ends[1].join()}`, "--json")).curves;
  const path = (await ask(server, "geodesic", [2, 2, ...ends.flat(), 0])).values;
  check("length as the command has it", Math.abs(path[1] - curve.length) < 1e-10 * curve.length, path[1], curve.length);
  check("distance from the demonstrations as well", Math.abs(path[6] - curve.over_spread) < 1e-9 * curve.over_spread, path[6], curve.over_spread);
  check("straight line as well", Math.abs(path[5] - curve.straight_length) < 1e-10 * curve.straight_length, path[5], curve.straight_length);
  const smooth = curve.smoothness.positions ?? curve.smoothness.rest;
  const turning = smooth.turning / smooth.demonstrated_turning, got = curve.smoothness.positions ? path[10] : path[11];
  check("turning over that of the demonstrations", Math.abs(got - turning) < 1e-9 * turning, got, turning);
  check("no reason not to rely on it", path[9] === 0 && curve.reliable && curve.reasons.length === 0, path[9], curve.reasons);
  check("size of a path", path.length === HEADER + path[0] * (Q + info.ambient + 2), path.length);
  for (const stage of [0, 1]) {
    const quick = (await ask(server, "geodesic", [stage, 2, ...ends.flat(), 0])).values;
    check(`stage ${stage} joins the same ends and is no shorter`, difference(Array.from(quick.subarray(HEADER, HEADER + Q)), ends[0]) < 1e-12 && quick[1] > 0.999 * path[1], quick[1]);
  }
  const via = row(20);
  const through = (await ask(server, "geodesic", [2, 3, ...ends[0], ...via, ...ends[1], 0])).values;
  const [other] = JSON.parse(run("geodesic", "toy.npz", `--from=latent:${ends[0].join()}`, `--to=latent:${ends[1].join()}`, `--through=latent:${via.join()}`, "--json")).curves;
  check("length through a point", Math.abs(through[1] - other.length) < 1e-10 * other.length, through[1], other.length);
  const middle = HEADER + path[0] * Q + 100 * info.ambient;
  const obstacle = [path[middle], path[middle + 1], 0.2];
  const around = (await ask(server, "geodesic", [2, 2, ...ends.flat(), 1, ...obstacle])).values;
  const avoid = `--avoid=sphere,${obstacle.join()}`;
  const [third] = JSON.parse(run("geodesic", "toy.npz", `--from=latent:${ends[0].join()}`, `--to=latent:${ends[1].join()}`, avoid, "--json")).curves;
  check("length around an obstacle", Math.abs(around[1] - third.length) < 1e-10 * third.length, around[1], third.length);
  check("an obstacle keeps the path away", around[7] > 0 && path[7] === Infinity, around[7]); // the path led through its centre
  const moving = (await ask(server, "geodesic", [1, 2, ...ends.flat(), 1, ...obstacle])).values; // a planner answers
  const from = HEADER + moving[0] * Q;
  const places = Array.from({ length: moving[0] }, (_, k) => [moving[from + k * info.ambient], moving[from + k * info.ambient + 1]]);
  const room = Math.min(...places.map(([x, y]) => Math.hypot(x - obstacle[0], y - obstacle[1]) - 0.2));
  // between its points, where the planner measures too, a path can be nearer by half a step: a planner that runs out of time returns a polygon
  const step = Math.max(...places.slice(1).map(([x, y], k) => Math.hypot(x - places[k][0], y - places[k][1])));
  check("while an obstacle moves the path keeps away, too", moving[7] > 0 && moving[7] < room + 1e-6 && room - moving[7] < step / 2 + 1e-6, room, moving[7], step);
  check("and is about as short as the exact one", moving[1] < 1.1 * around[1] && moving[1] > 0.9 * around[1], moving[1], around[1]);
  const enclosed = (await ask(server, "geodesic", [1, 2, ...ends.flat(), 1, path[HEADER + path[0] * Q], path[HEADER + path[0] * Q + 1], 0.2])).values;
  check("an obstacle on the start is reported", enclosed[7] < 0, enclosed[7]);
  const grid = (await ask(server, "grid", [0, 1, 5, 4, -1, 1, -0.5, 0.5, ...row(0), 0])).values;
  const [corner] = table(run("metric", "toy.npz", "--at=-1,-0.5", "--quiet"));
  check("colours of the map", grid.length === 60 && Math.abs(grid[20] - corner.deviation) < 1e-9, grid[20], corner);
  check("no obstacle is near the map", [...grid].slice(40).every((c) => c === Infinity));
  const here = [...path.slice(HEADER + 100 * Q, HEADER + 101 * Q)]; // the latent point that decodes to the obstacle's centre
  const box = [here[0], here[0] + 1, here[1], here[1] + 1];
  const blocked = (await ask(server, "grid", [0, 1, 2, 2, ...box, ...row(0), 1, ...obstacle])).values;
  check("the map knows what is inside an obstacle", Math.abs(blocked[8] + 0.2) < 1e-9, blocked[8]); // its centre: minus the radius
  const samples = (await ask(server, "samples", [3, ...row(0), ...row(1)])).values;
  const again = (await ask(server, "samples", [3, ...row(0), ...row(1)])).values;
  check("samples, the same each time", samples.length === 3 * 2 * info.ambient && difference(samples, again) === 0);
  check("no arm is a message", (await ask(server, "arm", new Float64Array(info.ambient))).status === 422);
}

// ---- motions -------------------------------------------------------------------------------------

{
  const points = new Float64Array(await (await fetch(`${server.url}points`)).arrayBuffer());
  const pose = (i) => Array.from(points.subarray(i * info.ambient, (i + 1) * info.ambient));
  const [start, goal] = [pose(0), pose(info.points - 1)];
  goal[0] += 0.1; // nobody has been there
  const F = info.factors.length;
  const HEAD = 18;
  /** [latents, points, deviation, speed, correction, samples] of an answer, with its header and what is before them. */
  const unpack = (values, samples = 0) => {
    const [n, poses, letters] = [values[0], values[15], values[17]];
    let at = HEAD;
    const take = (count) => values.subarray(at, (at += count));
    const out = { n, poses, nodes: [...take(poses)], errors: [...take(poses * F)], largest: [...take(F)], reason: String.fromCharCode(...take(letters)) };
    return { ...out, latent: take(n * Q), points: take(n * info.ambient), deviation: take(n), speed: take(n), correction: take(n), samples: take(samples * n * info.ambient), rest: values.length - at };
  };
  const command = (...args) => JSON.parse(run("geodesic", "toy.npz", `--from=point:${start.join()}`, ...args, "--json", "-o", "motion.csv", "--force"));
  const answer = await ask(server, "motion", [2, 2, 2, 1, ...start, 1, ...goal, 0]);
  const said = command(`--to=point:${goal.join()}`);
  const m = unpack(answer.values, 2);
  const rows = table(readFileSync(inFolder("motion.csv"), "utf8"));
  const column = (name) => rows.map((r) => r[name]);
  check("a motion as the command finds it", difference(m.points, rows.flatMap((r) => info.columns.map((c) => r[c]))) < 1e-10 && m.rest === 0);
  check("with its numbers", Math.abs(answer.values[12] - said.stretch) < 1e-10 && answer.values[13] === said.stretch_limit && difference(m.largest, said.correction) < 1e-10, answer.values[12], said.stretch);
  check("and its columns", difference(m.deviation, column("deviation")) < 1e-9 && difference(m.correction, column("correction")) < 1e-9);
  check("it begins and ends at the poses", difference([...m.points.slice(0, info.ambient)], start) < 1e-9 && difference([...m.points.slice(-info.ambient)], goal) < 1e-9); // the library's own bound
  check("so do its samples", [0, 1].every((k) => difference([...m.samples.slice(((k + 1) * m.n - 1) * info.ambient, (k + 1) * m.n * info.ambient)], goal) < 1e-9));
  check("nodes and errors of the poses", m.nodes.join() === `0,${m.n - 1}` && Math.max(...m.errors) < 1e-9, m.nodes, m.errors);
  const via = pose(20).map((x, k) => (k < 2 ? x + 0.03 : NaN)); // a position without a direction
  const through = unpack((await ask(server, "motion", [2, 0, 3, 0, ...row(0), 1, ...via, 1, ...goal, 0])).values);
  const place = through.nodes[1] * info.ambient;
  check("a point to pass with a free factor, from a latent point", difference([...through.points.slice(place, place + 2)], via.slice(0, 2)) < 1e-9 && Number.isNaN(through.errors[F + 1]), through.nodes);
  const quick = unpack((await ask(server, "motion", [1, 0, 2, 1, ...start, 1, ...goal, 0])).values);
  check("a quick motion meets them, too", quick.n < m.n && difference([...quick.points.slice(-info.ambient)], goal) < 1e-9, quick.n);
  const far = (await ask(server, "motion", [2, 0, 2, 1, ...start, 1, goal[0] + 5, ...goal.slice(1), 0])).values;
  check("one that nobody would do is outside, and says why", (far[9] & 8) !== 0 && far[12] > far[13] && /goal is .* times as far/.test(unpack(far).reason), far[12], unpack(far).reason);
  const middle = [m.points[100 * info.ambient], m.points[100 * info.ambient + 1]];
  const around = (await ask(server, "motion", [2, 0, 2, 1, ...start, 1, ...goal, 1, ...middle, 0.1])).values;
  const away = unpack(around);
  const nearest = Math.min(...Array.from({ length: away.n }, (_, k) => Math.hypot(away.points[k * info.ambient] - middle[0], away.points[k * info.ambient + 1] - middle[1]) - 0.1));
  check("a motion around an obstacle", around[7] > 0 && around[7] <= nearest + 1e-9, around[7], nearest);
  const off = await ask(server, "motion", [2, 0, 2, 1, 0, 0, 9, 9, 9, 1, ...goal, 0]);
  check("a pose off the manifold is a message", off.status === 422 && /start: .*off the manifold/.test(off.text), off.text);
  check("a pose that is free is a message", (await ask(server, "motion", [2, 0, 2, 1, ...start.map(() => NaN), 1, ...goal, 0])).status === 422);
  check("one pose is no motion", (await ask(server, "motion", [2, 0, 1, 1, ...start, 0])).status === 400);
  check("nor is half of one", (await ask(server, "motion", [2, 0, 2, 1, ...start, 1, ...goal.slice(1)])).status === 400);
  check("no latent point may be NaN", (await ask(server, "motion", [2, 0, 2, 0, NaN, 0, 1, ...goal, 0])).status === 400);
}

// ---- new data ------------------------------------------------------------------------------------

const encode = (text) => ask(server, "encode", new TextEncoder().encode(text));
{
  const csv = readFileSync(inFolder("toy.csv"), "utf8").split("\n").slice(0, 6).join("\n");
  const found = (await encode(csv)).values;
  check("encoded near the training latents", found?.length === 5 * Q && Math.abs(found[0] - latents[0]) < 0.2, found, row(0));
  const lines = csv.split("\n").slice(1);
  const other = (head, before) => encode([head, ...lines.map((line, k) => before(k) + line.split(",").slice(-5).join())].join("\n"));
  const unnamed = (await other("a,b,c,d,e", () => "")).values;
  check("columns with other names are taken in their order", unnamed && difference(unnamed, found) === 0, unnamed, found);
  const roles = (await other("time,demo,a,b,c,d,e", (k) => `${k},run one,`)).values; // columns with a role are none of the points
  check("ids and times are no coordinates", roles?.length === 5 * Q && difference(roles, found) < 0.2, roles, found);
  for (const text of ["", "x,y\n1,2\n", "x,y,sx,sy,sz\na,b,c,d,e\n", "x,y,sx,sy,sz\n0,0,9,9,9\n", "\0\0\0", "<script>", `x,y,sx,sy,sz\n${"0,0,1,0,0\n".repeat(6000)}`]) {
    const { status, text: message } = await encode(text);
    check(`bad data is a message: ${JSON.stringify(text.slice(0, 20))}`, status === 422 && message.length > 10, status, message);
  }
}

// ---- who may ask ---------------------------------------------------------------------------------

const answer = (name) => ({ path: `/${server.token}/${name}` });
check("the page", (await raw({})).status === 200);
for (const [name, value] of Object.entries({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store" }))
  check(`header ${name}`, (await raw({})).headers[name] === value);
const policy = (await raw({})).headers["content-security-policy"];
check("policy", policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self'") && !policy.includes("unsafe"), policy);
check("localhost is a name of it", (await raw({ headers: { Host: `localhost:${server.port}` } })).status === 200);
check("its own origin", (await raw({ headers: { Origin: `http://127.0.0.1:${server.port}` } })).status === 200);
for (const path of ["/", "/model", "/0/model", `/${server.token}`, `/${server.token.slice(0, 31)}0/model`, `/${server.token}0/model`, `//${server.token}/model`])
  if (path.slice(1, 33) !== server.token || path[33] !== "/") check(`without the token: ${path}`, (await raw({ path })).status === 404, (await raw({ path })).status);
for (const Host of ["evil.example", `evil.example:${server.port}`, "127.0.0.1", `127.0.0.1:${server.port + 1}`, `127.0.0.1.evil.example:${server.port}`])
  check(`Host ${Host}`, [400, 403].includes((await raw({ headers: { Host } })).status), (await raw({ headers: { Host } })).status);
check("no Host at all", /^HTTP\/1\.[01] 40[03]/.test(await converse(`GET /${server.token}/model HTTP/1.1\r\n\r\n`)));
for (const Origin of ["http://evil.example", "null", "https://127.0.0.1", `http://127.0.0.1:${server.port}.evil.example`, "file://"])
  check(`Origin ${Origin}`, (await raw({ headers: { Origin } })).status === 403);
for (const method of ["PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"])
  check(`method ${method}`, (await raw({ method })).status === 405, (await raw({ method })).status);
for (const name of ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "app.js/", "model/../../x", "toy.npz", "%00", "app.js%00"])
  check(`no file: ${name}`, (await raw(answer(name))).status === 404, (await raw(answer(name))).status);
check("too long", (await raw({ ...answer("decode"), method: "POST", headers: { "Content-Length": "99999999999" } })).status !== 200);

// ---- numbers that are wrong ----------------------------------------------------------------------

const zero = Array(Q).fill(0);
for (const [name, numbers] of [
  ["decode", []], ["decode", [1]], ["decode", [NaN, 0]], ["decode", [Infinity, 0]], ["decode", [0, 0, 0]],
  ["geodesic", []], ["geodesic", [2]], ["geodesic", [3, 2, ...zero, ...zero, 0]], ["geodesic", [2, 1, ...zero, 0]], ["geodesic", [2, 1e9, ...zero, 0]],
  ["geodesic", [2, -1, ...zero, 0]], ["geodesic", [2, 2.5, ...zero, ...zero, 0]], ["geodesic", [2, 2, ...zero, ...zero]], ["geodesic", [2, 2, ...zero, ...zero, 65]],
  ["geodesic", [2, 2, ...zero, ...zero, 1, 0, 0, -1]], ["geodesic", [2, 2, ...zero, ...zero, 1, 0, 0, 0]], ["geodesic", [2, 2, ...zero, ...zero, 0, 0]],
  ["grid", [0, 1, 0, 5, 0, 1, 0, 1, ...zero, 0]], ["grid", [0, 1, 1e6, 1e6, 0, 1, 0, 1, ...zero, 0]], ["grid", [0, 9, 5, 5, 0, 1, 0, 1, ...zero, 0]],
  ["samples", [1e6, ...zero]], ["samples", [-1, ...zero]], ["arm", [1]], ["unknown", [1]],
]) {
  const { status } = await ask(server, name, numbers);
  check(`${name} of ${numbers}`, status === 400 || (name === "unknown" && status === 404), status);
}
check("a body of seven bytes", (await ask(server, "decode", new Uint8Array(7))).status === 400);
for (const far of [1e3, 1e100, 1e308]) {
  const { status, text } = await ask(server, "geodesic", [2, 2, ...row(0), far, far, 0]);
  check(`a path to ${far} ends with a path or a message`, status === 200 || (status === 422 && text.length > 5), status, text);
}
check("ends that coincide", (await ask(server, "geodesic", [2, 2, ...row(0), ...row(0), 0])).status === 200);
check("still there", await alive());

// ---- a newer request replaces an older one -------------------------------------------------------

{
  const slow = [0, 1, 400, 400, -9, 9, -9, 9, ...zero, 0];
  const first = ask(server, "grid", slow, "page1");
  await sleep(60);
  const second = ask(server, "grid", [0, 1, 4, 4, -1, 1, -1, 1, ...zero, 0], "page1");
  const [a, b] = await Promise.all([first, second]);
  check("replaced by a newer one of the same page", a.status === 409 && b.status === 200, a.status, b.status);
  const pages = await Promise.all([ask(server, "grid", [0, 1, 40, 40, -1, 1, -1, 1, ...zero, 0], "page2"), ask(server, "grid", [0, 1, 40, 40, -1, 1, -1, 1, ...zero, 0], "page3")]);
  check("not of another one", pages.every((p) => p.status === 200), pages.map((p) => p.status));
}

// ---- many clients, and hostile ones --------------------------------------------------------------

{
  const expected = (await ask(server, "geodesic", [1, 2, ...row(0), ...row(30), 0])).values[1];
  const client = async (k) => {
    for (let n = 0; n < 4; n++) {
      const { status, values } = await ask(server, "geodesic", [1, 2, ...row(0), ...row(30), 0], `many${k}`);
      if (status !== 200 || values[1] !== expected) return `status ${status}, length ${values?.[1]}`;
      if ((await ask(server, "decode", row(k), `many${k}`)).status !== 200) return "no decoded point";
    }
    return "";
  };
  const problems = (await Promise.all(Array.from({ length: 50 }, (_, k) => client(k)))).filter((p) => p);
  check("50 clients at once", problems.length === 0, problems.slice(0, 3));
}
{
  const before = server.memory();
  const garbage = Buffer.from(Array.from({ length: 300 }, (_, k) => (k * 7919) % 256));
  const head = (name, length) => `POST /${server.token}/${name} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Length: ${length}\r\n\r\n`;
  const hostile = [
    () => raw({ path: `/${"0".repeat(32)}/model` }),
    () => raw({ headers: { Host: "evil.example" } }),
    () => raw({ ...answer("decode"), method: "POST", headers: { "Content-Length": "4000000000" } }),
    () => raw({ ...answer(`${"a".repeat(4000)}`) }),
    () => raw({ ...answer("decode"), method: "POST", body: "x".repeat(333) }),
    () => raw({ headers: { "X-Long": "y".repeat(12000) } }),
    () => spill(garbage),
    () => spill("GET / HTTP/1.1\r\nHost:"),
    () => spill(`${head("decode", 800)}half`),
    () => spill(`${head("geodesic", 8)}\0\0\0\0\0\0\0\0`),
  ];
  const COUNT = 10000;
  const AT_ONCE = 40;
  for (let n = 0; n < COUNT; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => hostile[(n + k) % hostile.length]()));
  check("answers after 10,000 hostile requests", await alive());
  const kept = () => readdirSync(`/proc/${server.child.pid}/fd`).length;
  check("connections that were cut off are closed", await eventually(() => kept() < AT_ONCE, 5000), kept());
  const bound = process.env.RM2_SANITIZE === "ON" ? 1024 : 64; // MB; sanitizers keep what was freed for a while
  check("within bounds of memory", server.memory() - before < bound, `${before} MB before, ${server.memory()} MB after`);
}
{
  const endless = new Promise((done) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(`POST /${server.token}/decode HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nTransfer-Encoding: chunked\r\n\r\n`));
    const chunk = `10000\r\n${"z".repeat(0x10000)}\r\n`;
    let sent = 0;
    const more = () => {
      while (sent < 4000 && socket.write(chunk)) sent++;
      if (sent >= 4000) done(false);
    };
    socket.on("connect", more).on("drain", more).on("error", () => done(true)).on("close", () => done(true));
    socket.on("data", () => {});
  });
  check("a body without an end is cut off", await endless);
  check("and the server is there", await alive());
}
{
  // connections that ask for nothing, more than the server keeps: the oldest are closed, and others are let in
  const closed = new Set();
  const idle = Array.from({ length: 700 }, (_, k) => {
    const socket = connect(server.port, "127.0.0.1");
    if (k % 2) socket.on("connect", () => socket.write("GET / HT"));
    return socket.on("error", () => {}).on("data", () => {}).on("close", () => closed.add(k));
  });
  const answered = await Promise.race([alive(), sleep(20000).then(() => false)]);
  check("a page is answered beside 700 idle connections", answered);
  check("the oldest idle connections are closed", await eventually(() => closed.size >= 300, 5000), closed.size);
  check("not the latest", ![...closed].some((k) => k >= 640), Math.max(...closed));
  for (const socket of idle) socket.destroy();
  check("and others are there again", await alive());
}
{
  const open = readdirSync(`/proc/${server.child.pid}/fd`).map((fd) => { try { return readlinkSync(`/proc/${server.child.pid}/fd/${fd}`); } catch { return ""; } });
  check("no file is open", open.every((target) => !target || /^(socket|pipe|anon_inode)/.test(target) || target.startsWith("/dev/")), open);
}

// ---- beginning and end ---------------------------------------------------------------------------

check("ends with its input", (await server.stop()).code === 0);
for (const again of [false, true]) {
  // 60 maps of different pages wait; the work of one takes seconds. The end is not to wait for them: one second, and time for a
  // busy machine to start and to see the end of a process
  const one = await serve(model);
  const maps = Array.from({ length: 60 }, (_, k) => ask(one, "grid", [0, 1, 400, 400, -9, 9, -9, 9, ...zero, 0], `page${k}`).catch(() => null));
  await sleep(700);
  const begun = performance.now();
  one.child.kill("SIGTERM");
  if (again) one.child.kill("SIGINT");
  const { code } = await one.ended;
  const seconds = (performance.now() - begun) / 1000;
  check(`ends while 60 maps wait${again ? ", after a second signal" : ""}`, code === 0 && seconds < 3, code, seconds);
  await Promise.all(maps);
}
for (const signal of ["SIGTERM", "SIGINT"]) {
  const one = await serve(model);
  one.child.kill(signal);
  check(`ends by ${signal}`, (await one.ended).code === 0);
}
{
  const busy = await serve(model);
  void ask(busy, "grid", [0, 1, 400, 400, -9, 9, -9, 9, ...zero, 0]).catch(() => {});
  await sleep(100);
  const started = Date.now();
  check("ends in the middle of an answer", (await busy.stop()).code === 0 && Date.now() - started < 10000);
}
{
  const taken = createServer().listen(0, "127.0.0.1");
  await eventually(() => taken.listening);
  const { status, stderr } = attempt("explore", "toy.npz", "--no-browser", "--port", String(taken.address().port));
  check("port taken", status === 1 && stderr.includes("cannot listen on 127.0.0.1") && stderr.split("\n").length === 2, status, stderr);
  taken.close();
}
{
  const token = "0123456789abcdef0123456789abcdef";
  const one = await serve(model, { env: { RIEMANN2_EXPLORE_TOKEN: token } });
  check("a kept token", one.token === token, one.url);
  await one.stop();
  const two = await serve(model, { args: ["--port", String(one.port)], env: { RIEMANN2_EXPLORE_TOKEN: token } });
  check("the same address after a restart", two.url === one.url, two.url);
  await two.stop();
  const bad = await serve(model, { env: { RIEMANN2_EXPLORE_TOKEN: "short" } });
  check("a bad token is refused", bad.url === null && (await bad.ended).code === 2);
}
{
  const { status, stdout, stderr } = attempt("explore", "--help");
  check("help", status === 0 && stdout.includes("usage: riemann2 explore MODEL") && stderr === "", status, stdout, stderr);
}
{
  // the browser is a program that notes its argument; the server ends by Ctrl-C
  chmodSync(write("xdg-open", `#!/bin/sh\nprintf %s "$1" >'${inFolder("opened.part")}' && mv '${inFolder("opened.part")}' '${inFolder("opened")}'\n`), 0o755);
  const one = spawn(program, ["explore", model], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, PATH: `${inFolder(".")}:${process.env.PATH}` } });
  let [printed, notes] = ["", ""];
  one.stdout.on("data", (text) => (printed += text));
  one.stderr.on("data", (text) => (notes += text));
  const ended = new Promise((done) => one.once("exit", done));
  check("the browser is opened", await eventually(() => existsSync(inFolder("opened"))));
  one.kill("SIGINT");
  check("how to end is said", (await ended) === 0 && notes.includes("Press Ctrl-C to end."), notes);
  check("with the address", readFileSync(inFolder("opened"), "utf8") === printed.trim(), printed);
}
{
  // a model in the space around the manifold
  run("fit", "toy.csv", "--manifold", "R2 x S2", "--group", "demo", "--model", "gplvm", "--iterations", "5", "-o", "around.npz", "--quiet");
  const one = await serve(inFolder("around.npz"));
  const start = Array.from(new Float64Array(await (await fetch(`${one.url}latents`)).arrayBuffer()));
  const { status, values } = await ask(one, "geodesic", [1, 2, ...start.slice(0, Q), ...start.slice(6 * Q, 7 * Q), 0]);
  const speed = values?.subarray(values.length - values[0]);
  check("a path of a Euclidean model", status === 200 && speed.every((v) => v >= 0 && v < 100), status, speed);
  check("also where its points are off the manifold", (await ask(one, "geodesic", [1, 2, ...start.slice(0, Q), 9, 9, 0])).status === 200);
  await one.stop();
}
{
  const cases = [
    [1, /none\.npz/, "explore", "none.npz", "--no-browser"],
    [[1, 3], /garbage\.npz/, "explore", write("garbage.npz", "garbage".repeat(1000)), "--no-browser"],
    [2, /expected 0 to 65535/, "explore", "toy.npz", "--port", "70000"],
    [2, /IPv4 address/, "explore", "toy.npz", "--bind", "nowhere", "--no-browser"],
    [2, /usage/, "explore"],
    [[1, 2, 3], /arm/, "explore", "toy.npz", "--arm", "no_such_arm", "--no-browser"],
    [2, /--contrast/, "explore", "toy.npz", "--contrast", "-1", "--no-browser"],
  ];
  for (const [code, text, ...args] of cases) {
    const { status, stdout, stderr } = attempt(...args);
    check(args.join(" "), [code].flat().includes(status) && text.test(stderr) && stdout === "", status, stderr);
  }
  server = await serve(model, { args: ["--bind", "0.0.0.0"] });
  check("open to others only when asked", (await raw({ headers: { Host: `some.host:${server.port}` } })).status === 200);
  await server.stop();
}

finish("explorer server");
