// The page: reads the model, joins map, decoded view and numbers, and asks the server for paths.
import { groupColour, isDark, styleColour } from "./colours";
import { commandOf, pathCsv, pythonOf, save, savePng, saveSvg } from "./exports";
import { type MapView, PlaneMap } from "./map";
import { SpaceMap } from "./map3d";
import { drawProfile } from "./profile";
import {
  type ModelInfo,
  type Path,
  fetchArm,
  fetchDecoded,
  fetchEncoded,
  fetchGrid,
  fetchLatents,
  fetchModel,
  fetchPath,
  fetchPoints,
  fetchSamples,
  isAlive,
  latest,
  oneAtATime,
} from "./protocol";
import { type State, Store, readState, writeState } from "./state";
import { viewsOf } from "./views/index";
import type { Decoded, View, ViewKind } from "./views/view";

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const PATH_NODES = 200;
const SAMPLE_COUNT = 6;
const GRID_SIDE = 90;
const ALIVE_EVERY = 2000; // milliseconds between two questions whether the server is there

class Page {
  private store: Store;
  private map: MapView;
  private view: View | null = null;
  private kinds: ViewKind[];
  private dragging = false;
  private playing = false;
  private decoded: Decoded = { path: null, straight: null, samples: [], hover: null, fresh: new Float64Array(0), arm: null };

  constructor(
    private info: ModelInfo,
    private latents: Float64Array,
    private points: Float64Array,
  ) {
    this.store = new Store(readState(info, latents, location.hash));
    this.kinds = viewsOf(info);
    this.map = this.makeMap();
    this.heading();
    this.mapBar();
    this.viewBar();
    this.exportBar();
    this.timeline();
    this.keys();
    this.dropping();
    this.store.subscribe((state, changed) => this.changed(state, changed));
    this.openView();
    this.askGrid();
    this.askPath();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.openView();
      this.profile();
    });
  }

  // ---- set-up --------------------------------------------------------------------------------

  private heading(): void {
    const { info } = this;
    document.title = `${info.file} – riemann2`;
    $("title").textContent = info.file;
    const sets = info.trajectories.length ? `, ${info.trajectories.length} trajectories` : "";
    $("facts").textContent = `${info.manifold} · ${info.points} points${sets} · ${info.latentDim} latent dimension${info.latentDim > 1 ? "s" : ""}`;
    const dialog = $<HTMLDialogElement>("help-dialog");
    $("help").onclick = () => dialog.showModal();
  }

  private makeMap(): MapView {
    const stage = $("map-stage");
    const space = this.info.latentDim === 3 && this.store.state.axes.length === 3;
    const map = space ? new SpaceMap(stage, this.info, this.latents, this.store) : new PlaneMap(stage, this.info, this.latents, this.store);
    map.onBox(() => this.askGrid());
    map.onHover((latent) => this.hover(latent));
    map.onDrag((dragging) => {
      this.dragging = dragging;
      if (!dragging) this.askPath();
    });
    return map;
  }

  private toggle(bar: HTMLElement, text: string, title: string, get: () => boolean, set: (on: boolean) => void): HTMLButtonElement {
    const button = document.createElement("button");
    button.textContent = text;
    button.title = title;
    const show = (): void => button.setAttribute("aria-pressed", String(get()));
    button.onclick = () => {
      set(!get());
      show();
    };
    this.store.subscribe(show);
    show();
    bar.append(button);
    return button;
  }

  private button(bar: HTMLElement, text: string, title: string, action: () => void): void {
    const button = document.createElement("button");
    button.textContent = text;
    button.title = title;
    button.onclick = action;
    bar.append(button);
  }

  private select(bar: HTMLElement, label: string, options: [string, string][], value: string, set: (value: string) => void): void {
    const select = document.createElement("select");
    select.setAttribute("aria-label", label);
    select.title = label;
    for (const [key, text] of options) select.append(new Option(text, key, false, key === value));
    select.onchange = () => set(select.value);
    bar.append(select);
  }

  private mapBar(): void {
    const bar = $("map-bar");
    const { info, store } = this;
    if (info.latentDim !== 3)
      this.select(bar, "Colour of the map", [["magnification", "Magnification"], ["deviation", "Uncertainty"]], store.state.mapColour, (v) =>
        store.update({ mapColour: v as State["mapColour"] }),
      );
    const colours: [string, string][] = [["order", info.trajectories.length ? "Points by time" : "Points by order"]];
    if (info.trajectories.length) colours.unshift(["trajectory", "Points by trajectory"]);
    if (info.labelNames.length) colours.unshift(["label", "Points by label"]);
    this.select(bar, "Colour of the points", colours, store.state.pointColour, (v) => store.update({ pointColour: v as State["pointColour"] }));
    if (info.latentDim > 3) for (const k of [0, 1]) this.axisSelect(bar, k);
    this.toggle(bar, "Straight line", "Show the straight line for comparison (S)", () => store.state.straight, (on) => store.update({ straight: on }));
    this.button(bar, "Reset", "Remove points to pass and obstacles", () => store.update({ via: [], obstacles: [] }));
    this.legend();
  }

  private axisSelect(bar: HTMLElement, k: number): void {
    const names = Array.from({ length: this.info.latentDim }, (_, q): [string, string] => [String(q), `z${q + 1} ${k ? "up" : "across"}`]);
    this.select(bar, `Axis ${k + 1}`, names, String(this.store.state.axes[k]), (v) => {
      const axes = this.store.state.axes.slice();
      axes[k] = Number(v);
      if (axes[0] !== axes[1]) this.store.update({ axes });
    });
  }

  private legend(): void {
    const legend = $("map-legend");
    legend.replaceChildren();
    const entry = (colour: string, text: string): void => {
      const swatch = document.createElement("span");
      swatch.className = "swatch";
      swatch.style.background = colour;
      legend.append(swatch, document.createTextNode(text));
    };
    entry(styleColour("--geodesic"), "geodesic");
    if (this.store.state.straight) entry(styleColour("--straight"), "straight line");
    if (this.store.state.pointColour === "label") this.info.labelNames.slice(0, 8).forEach((name, k) => entry(groupColour(k), name));
  }

  private viewBar(): void {
    const bar = $("view-bar");
    const { store } = this;
    if (!this.kinds.some((k) => k.name === store.state.view)) store.state.view = this.kinds[0]!.name;
    for (const kind of this.kinds)
      this.toggle(bar, kind.title, `Show: ${kind.title}`, () => store.state.view === kind.name, () => store.update({ view: kind.name }));
    const spring = document.createElement("span");
    spring.className = "spring";
    bar.append(spring);
    this.toggle(bar, "Samples", "Draw motions from the model along this path", () => store.state.samples, (on) => store.update({ samples: on }));
    if (this.info.obstacles) this.button(bar, "Add obstacle", "Place a sphere on the path; drag it", () => this.addObstacle());
  }

  private exportBar(): void {
    const bar = $("export-bar");
    const base = this.info.file.replace(/\.h5$/, "");
    const copy = (text: string): void => {
      void navigator.clipboard.writeText(text).then(
        () => this.message("Copied", 1500),
        () => this.message("The browser does not allow copying here", 3000),
      );
    };
    this.button(bar, "CSV", "Save the path as a CSV file", () => {
      if (this.decoded.path) save(`${base}-path.csv`, new Blob([pathCsv(this.info, this.decoded.path)], { type: "text/csv" }));
    });
    this.button(bar, "PNG", "Save both pictures as PNG", () => {
      savePng(this.map.canvas, `${base}-map.png`);
      if (this.view) savePng(this.view.canvas, `${base}-decoded.png`);
    });
    this.button(bar, "SVG", "Save both pictures as SVG", () => {
      saveSvg(this.map.canvas, `${base}-map.svg`);
      if (this.view) saveSvg(this.view.canvas, `${base}-decoded.svg`);
    });
    this.button(bar, "Copy as command", "The command that computes this path", () => copy(commandOf(this.info, this.store.state)));
    this.button(bar, "Copy as Python", "The Python lines that compute this path", () => copy(pythonOf(this.info, this.store.state)));
  }

  private timeline(): void {
    const slider = $<HTMLInputElement>("time");
    slider.value = String(this.store.state.time);
    slider.oninput = () => this.store.update({ time: Number(slider.value) });
    $("play").onclick = () => this.play(!this.playing);
    this.store.subscribe((state) => (slider.value = String(state.time)));
  }

  private play(on: boolean): void {
    this.playing = on;
    $("play").textContent = on ? "❚❚" : "▶";
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    let last = performance.now();
    const step = (now: number): void => {
      if (!this.playing) return;
      const time = this.store.state.time + (now - last) / 4000;
      last = now;
      this.store.update({ time: time > 1 ? 0 : time });
      requestAnimationFrame(step);
    };
    if (on) requestAnimationFrame(step);
  }

  private keys(): void {
    $("map-stage").addEventListener("keydown", (e) => {
      if (this.map.key(e)) e.preventDefault();
    });
    document.addEventListener("keydown", (e) => {
      const inControl = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement || e.target instanceof HTMLButtonElement;
      if (inControl || e.ctrlKey || e.metaKey) return;
      if (e.key === " ") this.play(!this.playing);
      else if (e.key === "s") this.store.update({ straight: !this.store.state.straight });
      else return;
      e.preventDefault();
    });
  }

  private dropping(): void {
    document.body.addEventListener("dragover", (e) => {
      e.preventDefault();
      document.body.classList.add("drop");
    });
    document.body.addEventListener("dragleave", () => document.body.classList.remove("drop"));
    document.body.addEventListener("drop", (e) => {
      e.preventDefault();
      document.body.classList.remove("drop");
      const file = e.dataTransfer?.files[0];
      if (file) void file.text().then((text) => this.encode(text, file.name));
    });
  }

  // ---- changes -------------------------------------------------------------------------------

  private changed(state: State, changed: Set<keyof State>): void {
    history.replaceState(null, "", writeState(state));
    const any = (...keys: (keyof State)[]): boolean => keys.some((k) => changed.has(k));
    if (any("axes", "mapColour", "pointColour", "straight", "from", "to", "via", "time")) this.map.refresh();
    if (any("axes", "obstacles")) this.askGrid();
    if (any("from", "to", "via", "obstacles", "straight", "samples")) this.askPath();
    if (any("view")) this.openView();
    if (any("straight", "pointColour")) this.legend();
    if (any("time")) this.profile();
  }

  private openView(): void {
    this.view?.destroy();
    const kind = this.kinds.find((k) => k.name === this.store.state.view) ?? this.kinds[0]!;
    this.view = kind.make($("view-stage"), { info: this.info, points: this.points, store: this.store });
    this.view.show(this.decoded);
  }

  private show(change: Partial<Decoded>): void {
    Object.assign(this.decoded, change);
    this.view?.show(this.decoded);
  }

  // ---- questions to the server ---------------------------------------------------------------

  private askGrid = latest(
    async (signal) => {
      if (this.info.latentDim === 3 && this.store.state.axes.length === 3) return;
      const [x0, x1, y0, y1] = this.map.box();
      if (!(x1 > x0)) return;
      const line = this.store.state.axes.length === 1;
      const margin = 0.25 * (x1 - x0);
      const rise = line ? 0 : 0.25 * (y1 - y0);
      const box: [number, number, number, number] = [x0 - margin, x1 + margin, y0 - rise, y1 + rise];
      const [a, b] = this.store.state.axes;
      const ratio = line ? 1 : Math.min(2, Math.max(0.5, (y1 - y0) / (x1 - x0)));
      const counts: [number, number] = line ? [400, 1] : [GRID_SIDE, Math.round(GRID_SIDE * ratio)];
      const query = { axes: [a!, b ?? a!] as [number, number], counts, box, at: this.store.state.from, obstacles: this.store.state.obstacles };
      this.map.setGrid(await fetchGrid(query, signal), box);
    },
    (error) => this.failed(error),
  );

  /** One path at a time: while a handle moves, the newest position follows the one under way. */
  private askPath = oneAtATime(async () => {
    const { from, to, via, obstacles } = this.store.state;
    const controller = new AbortController();
    try {
      const path = await fetchPath({ points: [from, ...via, to], obstacles, nodes: PATH_NODES, final: !this.dragging }, this.info, controller.signal);
      const straight = this.store.state.straight ? await this.decodeStraight() : null;
      this.map.setPath(path);
      this.show({ path, straight, samples: [] });
      this.numbers(path);
      this.profile();
      if (!this.dragging) await this.askExtras(path);
      this.message("");
    } catch (error) {
      this.failed(error);
    }
  });

  private async decodeStraight(): Promise<Float64Array> {
    const { from, to, via } = this.store.state;
    const stops = [from, ...via, to];
    const latents: number[] = [];
    for (let i = 0; i < PATH_NODES; i++) {
      const t = (i / (PATH_NODES - 1)) * (stops.length - 1);
      const k = Math.min(stops.length - 2, Math.floor(t));
      stops[k]!.forEach((x, q) => latents.push(x + (t - k) * (stops[k + 1]![q]! - x)));
    }
    return withoutDeviation(await fetchDecoded(new Float64Array(latents)), this.info.ambient);
  }

  private async askExtras(path: Path): Promise<void> {
    if (this.store.state.samples) {
      const rows = Array.from({ length: 60 }, (_, k) => Math.round((k / 59) * (path.nodes - 1)));
      const Q = this.info.latentDim;
      const latents = rows.map((i) => Array.from(path.latent.subarray(i * Q, (i + 1) * Q)));
      const values = await fetchSamples(latents, SAMPLE_COUNT);
      const size = latents.length * this.info.ambient;
      this.show({ samples: Array.from({ length: SAMPLE_COUNT }, (_, k) => values.subarray(k * size, (k + 1) * size)) });
    }
    if (this.info.arm) this.show({ arm: await fetchArm(path.points) });
  }

  private hover = (latent: number[] | null): void => {
    if (latent) this.askHover(latent);
    else {
      this.show({ hover: null });
    }
  };

  private askHover = oneAtATime(async (latent: number[]) => {
    try {
      this.show({ hover: await fetchDecoded(new Float64Array(latent)) });
    } catch (error) {
      this.failed(error);
    }
  });

  private async encode(text: string, name: string): Promise<void> {
    try {
      const Q = this.info.latentDim;
      const rows = await fetchEncoded(text);
      const count = rows.length / (Q + 1);
      const latents = new Float64Array(count * Q);
      for (let i = 0; i < count; i++) latents.set(rows.subarray(i * (Q + 1), i * (Q + 1) + Q), i * Q);
      this.map.setNew(latents);
      this.show({ fresh: withoutDeviation(await fetchDecoded(latents), this.info.ambient) });
      this.message(`${count} points of ${name} encoded`, 4000);
    } catch (error) {
      this.failed(error);
    }
  }

  /** A sphere beside the middle of the path, a tenth of the data's extent wide. */
  private addObstacle(): void {
    const { path } = this.decoded;
    const factor = this.info.factors.find((f) => f.name === "R")!;
    if (!path) return;
    const middle = Math.floor(path.nodes / 2) * this.info.ambient + factor.offset;
    const centre = Array.from(path.points.subarray(middle, middle + factor.n));
    let extent = 0;
    for (let k = 0; k < factor.n; k++) {
      let [low, high] = [Infinity, -Infinity];
      for (let i = 0; i < this.info.points; i++) {
        const v = this.points[i * this.info.ambient + factor.offset + k]!;
        [low, high] = [Math.min(low, v), Math.max(high, v)];
      }
      extent = Math.max(extent, high - low);
    }
    this.store.update({ obstacles: [...this.store.state.obstacles, { centre, radius: 0.07 * extent }] });
  }

  // ---- numbers -------------------------------------------------------------------------------

  private numbers(path: Path): void {
    const facts: [string, string, boolean][] = [
      ["length", path.length.toPrecision(4), false],
      ["straight line", path.straightLength.toPrecision(4), false],
      ["energy", path.energy.toPrecision(4), false],
      ["error", path.error === Infinity ? "–" : path.error.toExponential(1), !path.converged && !this.dragging],
      ["uncertainty", Math.max(...path.deviation).toPrecision(3), false],
    ];
    if (Number.isFinite(path.distanceRatio)) facts.push(["from demonstrations", `${path.distanceRatio.toPrecision(3)} ×`, path.distanceRatio > 1.5]);
    if (Number.isFinite(path.clearance)) facts.push(["clearance", path.clearance.toPrecision(3), path.clearance < 0]);
    $("facts-path").replaceChildren(
      ...facts.map(([name, value, bad]) => {
        const box = document.createElement("div");
        const dt = document.createElement("dt");
        const dd = document.createElement("dd");
        dt.textContent = name;
        dd.textContent = value;
        dd.id = `fact-${name.replace(/ /g, "-")}`;
        dd.classList.toggle("bad", bad);
        box.append(dt, dd);
        return box;
      }),
    );
  }

  private profile(): void {
    drawProfile($<HTMLCanvasElement>("profile"), this.decoded.path, this.store.state.time);
  }

  // ---- messages ------------------------------------------------------------------------------

  private message(text: string, milliseconds = 0): void {
    $("message").textContent = text;
    if (milliseconds) setTimeout(() => $("message").textContent === text && ($("message").textContent = ""), milliseconds);
  }

  private failed(error: unknown): void {
    if (error instanceof TypeError) void this.waitForServer();
    else this.message(error instanceof Error ? error.message : String(error));
  }

  private waiting = false;
  /** The server is gone: say so, and go on when it returns; with another model, start anew. */
  private async waitForServer(): Promise<void> {
    if (this.waiting) return;
    this.waiting = true;
    this.message("The server has ended. Start riemann2 explore again; this page goes on by itself.");
    while (!(await isAlive())) await new Promise((resolve) => setTimeout(resolve, ALIVE_EVERY));
    this.waiting = false;
    const info = await fetchModel();
    if (JSON.stringify(info) !== JSON.stringify(this.info)) location.reload();
    this.message("");
    this.askPath();
  }
}

/** Decoded rows without their last entry. */
function withoutDeviation(rows: Float64Array, ambient: number): Float64Array {
  const count = rows.length / (ambient + 1);
  const out = new Float64Array(count * ambient);
  for (let i = 0; i < count; i++) out.set(rows.subarray(i * (ambient + 1), i * (ambient + 1) + ambient), i * ambient);
  return out;
}

async function start(): Promise<void> {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const [info, latents, points] = await Promise.all([fetchModel(), fetchLatents(), fetchPoints()]);
  new Page(info, latents, points);
  document.documentElement.dataset.ready = "true";
}

start().catch((error: unknown) => {
  $("message").textContent = error instanceof Error ? error.message : String(error);
});
