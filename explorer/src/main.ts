// The page: reads the model, joins map, decoded view and numbers, and asks the server for what they show.
import { css, groupColour, heatColour, isDark, styleColour, styleRgb } from "./colours";
import { $, button, select, spring, toggle } from "./controls";
import { commandOf, pathCsv, pythonOf, save, savePictures } from "./exports";
import { type MapView, PlaneMap } from "./map";
import { loadSpace, space } from "./load";
import { showNumbers } from "./numbers";
import { PathFinder } from "./paths";
import { PoseDialog } from "./poses";
import { Profile } from "./profile";
import {
  type ModelInfo,
  type Path,
  ReplacedError,
  fetchArm,
  fetchDecoded,
  fetchEncoded,
  fetchGrid,
  fetchLatents,
  fetchModel,
  fetchPoints,
  fetchSamples,
  isAlive,
  latest,
  oneAtATime,
} from "./protocol";
import { type State, Store, isMotion, readState, stopsOf, writeState } from "./state";
import { viewsOf } from "./views/index";
import type { Decoded, View, ViewKind } from "./views/view";

const STRAIGHT_NODES = 200;
const SAMPLE_COUNT = 6;
const SAMPLE_NODES = 60;
const COARSE = 28; // side of the first grid of colours
const FINE = 110; // most of the second
const GRID_TIME = 1200; // milliseconds that the second may take
const PLAY_TIME = 4000; // milliseconds for the whole path
const ALIVE_EVERY = 2000; // milliseconds between two questions whether the server is there

class Page {
  private store: Store;
  private map: MapView;
  private view: View | null = null;
  private kinds: ViewKind[];
  private paths: PathFinder;
  private profile = new Profile($("profile"));
  private dragging = false;
  private playing = false;
  private fresh: Float64Array = new Float64Array(0); // latents of new data
  private decoded: Decoded = { path: null, straight: null, samples: [], hover: null, fresh: new Float64Array(0), arm: null };

  constructor(
    private info: ModelInfo,
    private latents: Float64Array,
    private points: Float64Array,
  ) {
    this.store = new Store(readState(info, latents, location.hash));
    this.kinds = viewsOf(info);
    this.paths = new PathFinder(info, () => this.store.state, () => this.dragging, (path, final) => this.found(path, final), (e) => this.failed(e));
    this.map = this.makeMap();
    this.heading();
    this.mapBar();
    this.viewBar();
    this.exportBar();
    this.timeline();
    this.keys();
    this.dropping();
    this.store.subscribe((state, changed) => this.changed(state, changed));
    this.askPath();
    this.askGrid();
    this.chooseView();
    this.showHover(null);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
  }

  // ---- set-up --------------------------------------------------------------------------------

  private heading(): void {
    const { info } = this;
    document.title = `${info.file} – riemann2`;
    $("title").textContent = info.file;
    const manifold = info.manifold.replace(/S1( x S1)+/g, (circles) => `T${circles.split(" x ").length}`).replace(/ x /g, " × ");
    const sets = info.trajectories.length ? `, ${info.trajectories.length} trajectories` : "";
    $("facts").textContent = `${manifold} · ${info.points} points${sets} · ${info.latentDim} latent dimension${info.latentDim > 1 ? "s" : ""}`;
    $("help").onclick = () => $<HTMLDialogElement>("help-dialog").showModal();
  }

  private makeMap(): MapView {
    const stage = $("map-stage");
    const Map = this.store.state.axes.length === 3 ? space().SpaceMap : PlaneMap;
    const map: MapView = new Map(stage, this.info, this.latents, this.store);
    map.onBox(() => this.askGrid());
    map.onHover((latent) => this.hover(latent));
    map.onDrag((dragging) => {
      this.dragging = dragging;
      if (dragging) return;
      this.keepState();
      this.askPath();
      // the map is a cut through the start
      if (this.info.latentDim > this.store.state.axes.length) this.askGrid();
    });
    map.setPath(this.decoded.path);
    if (this.fresh.length) map.setNew(this.fresh);
    return map;
  }

  private async remakeMap(): Promise<void> {
    if (this.store.state.axes.length === 3) await loadSpace();
    this.map.destroy();
    this.map = this.makeMap();
    this.askGrid();
  }

  private mapBar(): void {
    const bar = $("map-bar");
    const { info, store } = this;
    select(bar, "Colour of the map", [["magnification", "Magnification"], ["deviation", "Uncertainty"]], store.state.mapColour, (v) =>
      store.update({ mapColour: v as State["mapColour"] }),
    );
    const colours: [string, string][] = [["order", info.trajectories.length ? "Points by time" : "Points by order"]];
    if (info.trajectories.length) colours.unshift(["trajectory", "Points by trajectory"]);
    if (info.labelNames.length) colours.unshift(["label", "Points by label"]);
    select(bar, "Colour of the points", colours, store.state.pointColour, (v) => store.update({ pointColour: v as State["pointColour"] }));
    if (info.latentDim > 2) this.axisMenu(bar);
    spring(bar);
    toggle(bar, store, "Straight line", "Show the straight line for comparison (S)", () => store.state.straight, (on) => store.update({ straight: on }));
    if (info.poses) {
      const dialog = new PoseDialog(info, store, (part) => this.nodeOf(part));
      button(bar, "Meet poses", "Poses that start, end and points to pass must meet", () => dialog.open());
    }
    button(bar, "Reset", "Remove poses, points to pass and obstacles", () => store.update({ via: [], poses: [null, null], obstacles: [] }));
    this.legend();
  }

  /** Two or three axes of a larger latent space. */
  private axisMenu(bar: HTMLElement): void {
    const Q = this.info.latentDim;
    const choices: number[][] = [];
    for (let a = 0; a < Q; a++) for (let b = a + 1; b < Q; b++) choices.push([a, b]);
    for (let a = 0; a < Q; a++) for (let b = a + 1; b < Q; b++) for (let c = b + 1; c < Q; c++) choices.push([a, b, c]);
    const text = (axes: number[]): string => axes.map((a) => `z${a + 1}`).join(", ");
    select(bar, "Axes of the map", choices.map((axes) => [axes.join(), text(axes)]), this.store.state.axes.join(), (v) =>
      this.store.update({ axes: v.split(",").map(Number) }),
    );
  }

  private legend(): void {
    const legend = $("map-legend");
    const { state } = this.store;
    legend.replaceChildren();
    const entry = (colour: string, text: string, kind: string): void => {
      const one = document.createElement("span");
      const swatch = document.createElement("i");
      swatch.className = kind;
      swatch.style.background = colour;
      one.append(swatch, document.createTextNode(text));
      legend.append(one);
    };
    entry(styleColour("--geodesic"), isMotion(state) ? "route of the motion" : "geodesic", "stroke");
    if (state.straight) entry(styleColour("--straight"), "straight line", "stroke");
    if (this.fresh.length) entry(styleColour("--new"), "new data", "dot");
    if (state.pointColour === "label") this.info.labelNames.slice(0, 6).forEach((name, k) => entry(groupColour(k), name, "dot"));
    if (state.axes.length === 3) return;
    const panel = styleRgb("--panel");
    const steps = Array.from({ length: 9 }, (_, k) => css(heatColour(k / 8, panel)));
    entry(`linear-gradient(to right, ${steps.join(",")})`, state.mapColour === "magnification" ? "magnification" : "uncertainty", "ramp");
  }

  private viewBar(): void {
    const bar = $("view-bar");
    const { store } = this;
    if (!this.kinds.some((k) => k.name === store.state.view)) store.state.view = this.kinds[0]!.name;
    for (const kind of this.kinds)
      toggle(bar, store, kind.title, `Show: ${kind.title}`, () => store.state.view === kind.name, () => store.update({ view: kind.name }));
    spring(bar);
    toggle(bar, store, "Samples", "Draw motions from the model along this path", () => store.state.samples, (on) => store.update({ samples: on }));
    if (this.info.obstacles) button(bar, "Add obstacle", "Place a sphere on the path; drag it, Delete removes it", () => this.addObstacle());
  }

  private exportBar(): void {
    const bar = $("export-bar");
    const base = this.info.file.replace(/\.npz$/, "");
    const copy = (text: string): void => {
      void navigator.clipboard.writeText(text).then(
        () => this.message("Copied", 1500),
        () => this.message("The browser does not allow copying here", 3000),
      );
    };
    button(bar, "CSV", "Save the path as a CSV file", () => {
      if (this.decoded.path) save(`${base}-path.csv`, new Blob([pathCsv(this.info, this.decoded.path)], { type: "text/csv" }));
    });
    for (const format of ["PNG", "SVG"] as const)
      button(bar, format, `Save both pictures as ${format}`, () => {
        savePictures(this.map, `${base}-map`, format);
        if (this.view) savePictures(this.view, `${base}-decoded`, format);
      });
    button(bar, "Copy as command", "The command that computes this path", () => copy(commandOf(this.info, this.store.state)));
    button(bar, "Copy as Python", "The Python lines that compute this path", () => copy(pythonOf(this.info, this.store.state)));
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
    $("play").classList.toggle("playing", on);
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    let last = performance.now();
    const step = (now: number): void => {
      if (!this.playing) return;
      const time = this.store.state.time + (now - last) / PLAY_TIME;
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
    $("view-stage").addEventListener("keydown", (e) => {
      if (this.view?.key?.(e)) e.preventDefault();
    });
    document.addEventListener("keydown", (e) => {
      const inControl = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement || e.target instanceof HTMLButtonElement;
      if (inControl || e.ctrlKey || e.metaKey || e.defaultPrevented) return;
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
    const any = (...keys: (keyof State)[]): boolean => keys.some((k) => changed.has(k));
    // not at every frame: browsers allow few changes of the address per second
    if (!this.dragging && !(changed.size === 1 && any("time") && this.playing)) this.keepState();
    if (any("axes")) void this.remakeMap().catch((e: unknown) => this.failed(e));
    if (any("mapColour", "pointColour")) this.map.refresh(true);
    else if (any("straight", "time") || (any("from", "to", "via") && !(this.dragging && this.paths.prompt))) this.map.refresh(false);
    if (any("obstacles")) this.askGrid();
    if (any("from", "to", "via", "poses", "ends", "obstacles") || (any("samples") && isMotion(state))) this.askPath();
    else if (any("straight", "samples") && this.decoded.path) void this.extras(this.decoded.path).catch((e: unknown) => this.failed(e));
    if (any("view")) this.chooseView();
    if (any("straight", "pointColour", "mapColour", "axes", "poses", "ends")) this.legend();
    if (any("time")) this.profile.show(this.decoded.path, this.store.state.time);
  }

  private keepState(): void {
    history.replaceState(null, "", writeState(this.store.state));
  }

  private restyle(): void {
    void this.remakeMap().catch((e: unknown) => this.failed(e));
    this.chooseView();
    this.legend();
    this.profile.show(this.decoded.path, this.store.state.time);
  }

  private chooseView(): void {
    void this.openView().catch((e: unknown) => this.failed(e));
  }

  private async openView(): Promise<void> {
    const chosen = this.store.state.view;
    const kind = this.kinds.find((k) => k.name === chosen) ?? this.kinds[0]!;
    await kind.load?.();
    if (this.store.state.view !== chosen) return; // another one has been chosen meanwhile
    this.view?.destroy();
    this.view = kind.make($("view-stage"), { info: this.info, points: this.points, store: this.store, drag: (on) => this.dragObstacle(on) });
    this.view.show(this.decoded);
  }

  private show(change: Partial<Decoded>): void {
    Object.assign(this.decoded, change);
    this.view?.show(this.decoded);
  }

  // ---- paths ---------------------------------------------------------------------------------

  private askPath(): void {
    document.documentElement.dataset.final = "false";
    this.paths.ask();
  }

  private async found(path: Path, final: boolean): Promise<void> {
    if (path.met && !this.dragging) this.placeHandles(path, path.met.nodes);
    this.map.setPath(path);
    this.show({ path, straight: null, samples: [], arm: final ? this.decoded.arm : null });
    showNumbers(path, final, this.info);
    this.profile.show(path, this.store.state.time);
    const { dataset } = document.documentElement; // for tests and measurements
    dataset.paths = String(Number(dataset.paths ?? 0) + 1);
    dataset.final = String(final);
    this.message(final ? (path.met?.reason ?? "") : "");
    if (final) await this.extras(path);
  }

  private nodeOf(part: number): number[] {
    const { path } = this.decoded;
    if (!path) return this.store.state.from.slice();
    const at = Math.round(part * (path.nodes - 1)) * this.info.latentDim;
    return Array.from(path.latent.subarray(at, at + this.info.latentDim));
  }

  /** Handles that have poses stand where the motion passes these. */
  private placeHandles(path: Path, nodes: number[]): void {
    const Q = this.info.latentDim;
    this.store.place(nodes.map((i) => Array.from(path.latent.subarray(i * Q, (i + 1) * Q))));
    this.keepState();
  }

  /** What is drawn around the path: the straight line, samples, an arm. */
  private async extras(path: Path): Promise<void> {
    const { straight, samples } = this.store.state;
    this.show({ straight: straight ? await this.decodeStraight() : null });
    this.show({ samples: path.met ? path.met.samples : samples ? await this.sample(path) : [] });
    if (this.info.arm && !this.dragging) this.show({ arm: await fetchArm(path.points) });
  }

  private async decodeStraight(): Promise<Float64Array> {
    const stops = stopsOf(this.store.state);
    const latents: number[] = [];
    for (let i = 0; i < STRAIGHT_NODES; i++) {
      const t = (i / (STRAIGHT_NODES - 1)) * (stops.length - 1);
      const k = Math.min(stops.length - 2, Math.floor(t));
      stops[k]!.forEach((x, q) => latents.push(x + (t - k) * (stops[k + 1]![q]! - x)));
    }
    return (await fetchDecoded(new Float64Array(latents), this.info, "line")).points;
  }

  private async sample(path: Path): Promise<Float64Array[]> {
    const Q = this.info.latentDim;
    const rows = Array.from({ length: SAMPLE_NODES }, (_, k) => Math.round((k / (SAMPLE_NODES - 1)) * (path.nodes - 1)));
    const latents = rows.map((i) => Array.from(path.latent.subarray(i * Q, (i + 1) * Q)));
    const values = await fetchSamples(latents, SAMPLE_COUNT);
    const size = SAMPLE_NODES * this.info.ambient;
    return Array.from({ length: SAMPLE_COUNT }, (_, k) => values.subarray(k * size, (k + 1) * size));
  }

  // ---- the map -------------------------------------------------------------------------------

  /** Colours of what is visible and of a margin: a few first, then as many as a second allows. */
  private askGrid = latest(
    async (signal) => {
      const { axes, from, obstacles } = this.store.state;
      const [x0, x1, y0, y1] = this.map.box();
      if (axes.length === 3 || !(x1 > x0)) return;
      const line = axes.length === 1;
      const [wide, high] = [0.25 * (x1 - x0), line ? 0 : 0.25 * (y1 - y0)];
      const box: [number, number, number, number] = [x0 - wide, x1 + wide, y0 - high, y1 + high];
      const query = { axes: [axes[0]!, axes[1] ?? axes[0]!] as [number, number], box, at: from, obstacles };
      const ask = async (side: number): Promise<void> => {
        const counts: [number, number] = line ? [side * 4, 1] : [side, side];
        this.map.setGrid(await fetchGrid({ ...query, counts }, signal), box);
        document.documentElement.dataset.grid = String(side);
      };
      const started = performance.now();
      await ask(COARSE);
      const took = performance.now() - started;
      const side = Math.min(FINE, Math.round(COARSE * Math.sqrt(GRID_TIME / Math.max(1, took))));
      if (side > COARSE) await ask(line ? 99 : side);
    },
    (error) => this.failed(error),
  );

  private hover(latent: number[] | null): void {
    this.hovered = latent;
    if (latent) this.askHover(latent);
    else this.showHover(null);
  }
  private hovered: number[] | null = null;

  private askHover = oneAtATime(async (latent: number[]) => {
    try {
      const { points } = await fetchDecoded(new Float64Array(latent), this.info, "hover");
      if (this.hovered) this.showHover(points);
    } catch (error) {
      this.failed(error);
    }
  });

  private showHover(point: Float64Array | null): void {
    this.show({ hover: point });
    const text = point ? Array.from(point.subarray(0, 8), (x, k) => `${this.info.columns[k]} ${x.toPrecision(4)}`).join("   ") : "Point at the map to decode";
    $("hover").textContent = text + (point && point.length > 8 ? " …" : "");
    $("hover").dataset.latent = JSON.stringify(point ? this.hovered : null);
    $("hover").dataset.point = JSON.stringify(point ? Array.from(point) : null);
  }

  private async encode(text: string, name: string): Promise<void> {
    this.message(`Encoding ${name} …`);
    try {
      this.fresh = await fetchEncoded(text);
      this.map.setNew(this.fresh);
      this.legend();
      this.show({ fresh: (await fetchDecoded(this.fresh, this.info, "new")).points });
      const count = this.fresh.length / this.info.latentDim;
      this.message(`${count} point${count === 1 ? "" : "s"} of ${name} encoded`, 6000);
    } catch (error) {
      this.failed(error);
    }
  }

  // ---- obstacles -----------------------------------------------------------------------------

  private dragObstacle(on: boolean): void {
    this.dragging = on;
    if (on) return;
    this.keepState();
    this.askPath();
  }

  /** A sphere on the middle of the path, about a sixth of the data's extent wide. */
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
    const kinds = this.kinds.map((k) => k.name);
    const view = kinds.includes("plane") ? "plane" : kinds.includes("space") ? "space" : this.store.state.view;
    this.store.update({ view, obstacles: [...this.store.state.obstacles, { centre, radius: 0.08 * extent }] });
  }

  // ---- messages ------------------------------------------------------------------------------

  private message(text: string, milliseconds = 0): void {
    if (this.waiting && !milliseconds && !text) return;
    $("message").textContent = text;
    if (milliseconds) setTimeout(() => $("message").textContent === text && ($("message").textContent = ""), milliseconds);
  }

  private failed(error: unknown): void {
    this.map.refresh(false); // a handle that has waited for its path
    if (error instanceof ReplacedError) return;
    if (error instanceof TypeError) void this.waitForServer();
    else this.message(error instanceof Error ? error.message : String(error));
  }

  private waiting = false;
  /** The server is gone: say so, and go on when it answers again; with another model, start anew. */
  private async waitForServer(): Promise<void> {
    if (this.waiting) return;
    this.waiting = true;
    this.message("The server has ended. This page goes on when it answers again.");
    while (!(await isAlive())) await new Promise((resolve) => setTimeout(resolve, ALIVE_EVERY));
    this.waiting = false;
    const info = await fetchModel();
    if (JSON.stringify(info) !== JSON.stringify(this.info)) {
      history.replaceState(null, "", location.pathname);
      location.reload();
      return;
    }
    this.message("");
    this.askGrid();
    this.askPath();
  }
}

async function start(): Promise<void> {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const [info, latents, points] = await Promise.all([fetchModel(), fetchLatents(), fetchPoints()]);
  if (info.latentDim > 2) await loadSpace(); // the map may be drawn in space
  new Page(info, latents, points);
  document.documentElement.dataset.ready = "true";
}

start().catch((error: unknown) => {
  $("message").textContent = error instanceof Error ? error.message : String(error);
});
