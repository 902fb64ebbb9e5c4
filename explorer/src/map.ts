// The latent map in one or two dimensions: colour of the metric, training points, the path and its handles.
import { css, heatColour, isDark, type Rgb, styleColour, styleRgb } from "./colours";
import { pointColours, trajectoryOf } from "./points";
import type { Grid, ModelInfo, Path } from "./protocol";
import type { MapColour, Store } from "./state";
import { Surface, strokeHalo, tickText, ticks } from "./surface";

export interface MapView {
  setGrid(grid: Grid, box: [number, number, number, number]): void;
  setPath(path: Path | null): void;
  setNew(latents: Float64Array): void;
  /** Draw again: handles and paths, or also what lies under them. */
  refresh(all: boolean): void;
  /** The part of the latent space that is visible, for the colour: first axis from, to, second axis from, to. */
  box(): [number, number, number, number];
  onBox(listener: () => void): void;
  onHover(listener: (latent: number[] | null) => void): void;
  onDrag(listener: (dragging: boolean) => void): void;
  key(event: KeyboardEvent): boolean;
  drawOn(ctx: CanvasRenderingContext2D): boolean;
  readonly canvas: HTMLCanvasElement;
  destroy(): void;
}

export type Grip = { kind: "from" | "to" } | { kind: "via"; index: number };
export const sameGrip = (a: Grip, b: Grip): boolean => a.kind === b.kind && (a.kind !== "via" || (b.kind === "via" && a.index === b.index));

const HANDLE = 9; // radius in pixels
const GRAB = 16;
const MARGIN = 0.25; // of the layer around what is visible
const LEAST_STRETCH = 1;
export const MOST_STRETCH = 3; // of one axis over another
const BASELINE = 0.56; // height of the path on a map of one dimension, from the top

export class PlaneMap implements MapView {
  private surface: Surface;
  private layer = document.createElement("canvas"); // heat and points as last drawn, moved while panning
  private layerView = { x: 0, y: 0, scale: 1 };
  private layerDirty = true;
  private view = { x: 0, y: 0, scale: 1 }; // latent centre, pixels per unit of the first axis
  private stretch = 1;
  private fitted = false;
  private heat: HTMLCanvasElement | null = null;
  private heatBox: [number, number, number, number] = [0, 1, 0, 1];
  private grid: Grid | null = null;
  private path: Path | null = null;
  private fresh: Float64Array = new Float64Array(0);
  private grip: Grip | null = null;
  private selected: Grip = { kind: "to" };
  private panning: { x: number; y: number } | null = null;
  private boxListener = (): void => {};
  private hoverListener = (_: number[] | null): void => {};
  private dragListener = (_: boolean): void => {};
  private settle = 0;
  private trajectories: Int32Array;
  private ranges = new Map<MapColour, [number, number]>(); // of the colours without obstacles

  constructor(
    private parent: HTMLElement,
    private info: ModelInfo,
    private latents: Float64Array,
    private store: Store,
  ) {
    this.trajectories = trajectoryOf(info);
    this.surface = new Surface(parent, (ctx) => this.draw(ctx), () => this.fitted && this.fit());
    this.fit();
    this.listen();
  }

  get canvas(): HTMLCanvasElement {
    return this.surface.canvas;
  }

  destroy(): void {
    clearTimeout(this.settle);
    this.surface.destroy();
  }

  // ---- coordinates ---------------------------------------------------------------------------

  private get axes(): number[] {
    return this.store.state.axes;
  }
  private get isLine(): boolean {
    return this.axes.length === 1;
  }

  private place(latent: ArrayLike<number>, offset = 0): [number, number] {
    const [a, b] = this.axes;
    return [latent[offset + a!]!, b === undefined ? 0 : latent[offset + b]!];
  }

  private toScreen([x, y]: [number, number]): [number, number] {
    const { width, height } = this.surface;
    const px = width / 2 + (x - this.view.x) * this.view.scale;
    return [px, this.isLine ? height * BASELINE : height / 2 - (y - this.view.y) * this.view.scale * this.stretch];
  }

  private toLatent(px: number, py: number, like: number[]): number[] {
    const { width, height } = this.surface;
    const result = like.slice();
    result[this.axes[0]!] = this.view.x + (px - width / 2) / this.view.scale;
    if (!this.isLine) result[this.axes[1]!] = this.view.y - (py - height / 2) / (this.view.scale * this.stretch);
    return result;
  }

  /** Height of a point on a map of one dimension: trajectories above each other, over the path. */
  private level(i: number): number {
    const rows = Math.max(1, this.info.trajectories.length);
    const k = Math.max(0, this.trajectories[i]!);
    return this.surface.height * (0.08 + (BASELINE - 0.16) * ((k + 0.5) / rows));
  }

  /** Show all points; a narrow cloud is stretched. */
  fit(): void {
    const [a, b] = this.axes;
    const { width, height } = this.surface;
    const [x0, x1] = this.info.box[a!]!;
    const [y0, y1] = b === undefined ? [-0.5, 0.5] : this.info.box[b]!;
    const horizontal = (0.96 * width) / (x1 - x0);
    const vertical = (0.96 * height) / (y1 - y0);
    this.view.x = (x0 + x1) / 2;
    this.view.y = (y0 + y1) / 2;
    this.stretch = this.isLine ? 1 : Math.min(MOST_STRETCH, Math.max(LEAST_STRETCH, vertical / horizontal));
    this.view.scale = this.isLine ? horizontal : Math.min(horizontal, vertical / this.stretch);
    this.layerDirty = true;
    if (this.fitted) this.moved();
    this.fitted = true; // the first time, the page asks for the colours
  }

  box(): [number, number, number, number] {
    const { width, height } = this.surface;
    const halfX = width / 2 / this.view.scale;
    const halfY = this.isLine ? 0.5 : height / 2 / (this.view.scale * this.stretch);
    return [this.view.x - halfX, this.view.x + halfX, this.view.y - halfY, this.view.y + halfY];
  }

  private moved(): void {
    this.surface.refresh();
    clearTimeout(this.settle);
    this.settle = window.setTimeout(() => {
      this.layerDirty = true;
      this.surface.refresh();
      this.boxListener();
    }, 120);
  }

  // ---- contents ------------------------------------------------------------------------------

  setGrid(grid: Grid, box: [number, number, number, number]): void {
    this.grid = grid;
    this.heatBox = box;
    this.refresh(true);
  }

  setPath(path: Path | null): void {
    this.path = path;
    this.surface.refresh();
  }

  setNew(latents: Float64Array): void {
    this.fresh = latents;
    this.refresh(true);
  }

  refresh(all: boolean): void {
    if (all) {
      this.heat = this.grid && !this.isLine ? heatImage(this.grid, this.grid[this.store.state.mapColour], this.rangeOf(this.grid)) : null;
      this.layerDirty = true;
    }
    this.surface.refresh();
  }

  /** Obstacles leave the colours elsewhere as they are. */
  private rangeOf(grid: Grid): [number, number] {
    const { mapColour, obstacles } = this.store.state;
    const kept = this.ranges.get(mapColour);
    if (kept && obstacles.length) return kept;
    const found = range(grid[mapColour]);
    this.ranges.set(mapColour, found);
    return found;
  }

  onBox(listener: () => void): void {
    this.boxListener = listener;
  }
  onHover(listener: (latent: number[] | null) => void): void {
    this.hoverListener = listener;
  }
  onDrag(listener: (dragging: boolean) => void): void {
    this.dragListener = listener;
  }

  // ---- drawing -------------------------------------------------------------------------------

  private draw(ctx: CanvasRenderingContext2D): void {
    if (this.layerDirty) this.keepLayer();
    this.blitLayer(ctx);
    this.drawOverlay(ctx);
  }

  /** All of it without the kept layer, for an SVG file. */
  drawOn(ctx: CanvasRenderingContext2D): boolean {
    this.drawLayer(ctx);
    this.drawOverlay(ctx);
    return true;
  }

  private drawOverlay(ctx: CanvasRenderingContext2D): void {
    this.drawAxes(ctx, this.surface.width, this.surface.height);
    this.drawPaths(ctx);
    this.drawHandles(ctx);
  }

  /** Heat and points are drawn once, with a margin; while the map is moved their picture is moved. */
  private keepLayer(): void {
    const scale = devicePixelRatio;
    const { width, height } = this.surface;
    this.layer.width = Math.round(width * (1 + 2 * MARGIN) * scale);
    this.layer.height = Math.round(height * (1 + 2 * MARGIN) * scale);
    const ctx = this.layer.getContext("2d")!;
    ctx.setTransform(scale, 0, 0, scale, MARGIN * width * scale, MARGIN * height * scale);
    this.drawLayer(ctx);
    this.layerView = { ...this.view };
    this.layerDirty = false;
  }

  private drawLayer(ctx: CanvasRenderingContext2D): void {
    if (this.heat) {
      const [x0, y1] = this.toScreen([this.heatBox[0], this.heatBox[3]]);
      const [x1, y0] = this.toScreen([this.heatBox[1], this.heatBox[2]]);
      ctx.imageSmoothingQuality = "high";
      ctx.drawImage(this.heat, x0, y1, x1 - x0, y0 - y1);
    } else if (this.grid && this.isLine) this.drawProfile(ctx);
    this.drawPoints(ctx);
  }

  private blitLayer(ctx: CanvasRenderingContext2D): void {
    const { width, height } = this.surface;
    const zoom = this.view.scale / this.layerView.scale;
    const x = width / 2 + (this.layerView.x - this.view.x) * this.view.scale;
    const y = height / 2 - (this.layerView.y - this.view.y) * this.view.scale * this.stretch;
    const [w, h] = [width * (1 + 2 * MARGIN) * zoom, height * (1 + 2 * MARGIN) * zoom];
    ctx.imageSmoothingEnabled = zoom !== 1; // a copy of pixels is quicker
    ctx.drawImage(this.layer, x - w / 2, this.isLine ? -MARGIN * height : y - h / 2, w, this.isLine ? height * (1 + 2 * MARGIN) : h);
  }

  /** One dimension: the metric as coloured columns under the path. */
  private drawProfile(ctx: CanvasRenderingContext2D): void {
    const values = this.grid![this.store.state.mapColour];
    const { height } = this.surface;
    const [low, high] = this.rangeOf(this.grid!);
    const panel = styleRgb("--panel");
    const base = height * (BASELINE + 0.05);
    const n = values.length;
    for (let i = 0; i < n; i++) {
      const at = (k: number): number => this.toScreen([this.heatBox[0] + (k / (n - 1)) * (this.heatBox[1] - this.heatBox[0]), 0])[0];
      const t = Math.min(1, Math.max(0, (values[i]! - low) / (high - low || 1)));
      ctx.fillStyle = css(shade(heatColour(t, panel), this.grid!.clearance[i]!, styleRgb("--obstacle")));
      ctx.fillRect(at(i - 0.5), base, at(i + 0.5) - at(i - 0.5) + 0.6, 4 + t * (height * 0.3));
    }
  }

  private drawPoints(ctx: CanvasRenderingContext2D): void {
    const { latentDim: Q, points } = this.info;
    const { width, height } = this.surface;
    const many = points > 5000;
    const radius = many ? 0.9 : points > 800 ? 2 : 3;
    const colourOf = pointColours(this.info, this.store.state.pointColour, this.trajectories);
    const groups = new Map<string, number[]>();
    const [a, b] = this.axes;
    const rise = this.view.scale * this.stretch;
    for (let i = 0; i < points; i++) {
      const px = width / 2 + (this.latents[i * Q + a!]! - this.view.x) * this.view.scale;
      const py = b === undefined ? this.level(i) : height / 2 - (this.latents[i * Q + b]! - this.view.y) * rise;
      if (px < -0.3 * width || py < -0.3 * height || px > 1.3 * width || py > 1.3 * height) continue;
      const colour = colourOf(i);
      const group = groups.get(colour);
      if (group) group.push(px, py);
      else groups.set(colour, [px, py]);
    }
    for (const [colour, places] of groups) drawDots(ctx, colour, places, radius, many);
    const fresh: number[] = [];
    for (let i = 0; i < this.fresh.length / Q; i++) fresh.push(...this.toScreen(this.place(this.fresh, i * Q)));
    drawDots(ctx, styleColour("--new"), fresh, Math.max(3, radius + 1.5), false);
  }

  private drawAxes(ctx: CanvasRenderingContext2D, width: number, height: number): void {
    const [x0, x1, y0, y1] = this.box();
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    const text = (value: string, x: number, y: number): void => {
      ctx.lineJoin = "round";
      ctx.strokeStyle = styleColour("--panel");
      ctx.lineWidth = 3;
      ctx.strokeText(value, x, y);
      ctx.fillStyle = styleColour("--soft");
      ctx.fillText(value, x, y);
    };
    const inside = (x: number, end: number): boolean => x > 24 && x < end - 24;
    for (const t of ticks(x0, x1, 6)) {
      const [x] = this.toScreen([t, 0]);
      if (inside(x, width - 30)) text(tickText(t), x, height - 6);
    }
    text(`z${this.axes[0]! + 1} →`, width - 22, height - 6);
    if (this.isLine) return;
    for (const t of ticks(y0, y1, 5)) {
      const [, y] = this.toScreen([0, t]);
      if (inside(y, height)) text(tickText(t), width - 20, y + 4);
    }
    text(`z${this.axes[1]! + 1} ↑`, width - 20, 16);
  }

  private trace(ctx: CanvasRenderingContext2D, latents: ArrayLike<number>, count: number): void {
    ctx.beginPath();
    for (let i = 0; i < count; i++) ctx.lineTo(...this.toScreen(this.place(latents, i * this.info.latentDim)));
  }

  private drawPaths(ctx: CanvasRenderingContext2D): void {
    const { from, to, via, straight, time } = this.store.state;
    const halo = isDark() ? "rgb(0 0 0 / 65%)" : "rgb(255 255 255 / 85%)";
    if (straight) {
      this.trace(ctx, [from, ...via, to].flat(), via.length + 2);
      strokeHalo(ctx, styleColour("--straight"), halo, 2, [7, 6]);
    }
    if (!this.path) return;
    this.trace(ctx, this.path.latent, this.path.nodes);
    strokeHalo(ctx, styleColour("--geodesic"), halo, 3.5);
    const k = Math.round(time * (this.path.nodes - 1));
    const [x, y] = this.toScreen(this.place(this.path.latent, k * this.info.latentDim));
    ctx.beginPath();
    ctx.arc(x, y, 6, 0, 2 * Math.PI);
    ctx.fillStyle = styleColour("--geodesic");
    ctx.fill();
    ctx.lineWidth = 2;
    ctx.strokeStyle = "#fff";
    ctx.stroke();
  }

  private handles(): { grip: Grip; latent: number[]; colour: string; posed: boolean }[] {
    const { from, to, via, poses } = this.store.state;
    return [
      ...via.map((latent, index) => ({ grip: { kind: "via", index } as Grip, latent, colour: styleColour("--geodesic"), posed: !!poses[index + 1] })),
      { grip: { kind: "from" }, latent: from, colour: styleColour("--ink"), posed: !!poses[0] },
      { grip: { kind: "to" }, latent: to, colour: styleColour("--ink"), posed: !!poses[via.length + 1] },
    ];
  }

  private drawHandles(ctx: CanvasRenderingContext2D): void {
    for (const { grip, latent, colour, posed } of this.handles()) {
      const [x, y] = this.toScreen(this.place(latent));
      if (posed) {
        ctx.beginPath();
        ctx.arc(x, y, HANDLE + 6, 0, 2 * Math.PI);
        strokeHalo(ctx, styleColour("--geodesic"), styleColour("--panel"), 2);
      }
      ctx.beginPath();
      if (grip.kind === "to") ctx.roundRect(x - HANDLE, y - HANDLE, 2 * HANDLE, 2 * HANDLE, 4);
      else ctx.arc(x, y, grip.kind === "via" ? HANDLE - 2 : HANDLE, 0, 2 * Math.PI);
      ctx.lineWidth = 6;
      ctx.strokeStyle = "rgb(0 0 0 / 18%)";
      ctx.stroke();
      ctx.fillStyle = colour;
      ctx.fill();
      ctx.lineWidth = sameGrip(grip, this.selected) ? 3.5 : 2;
      ctx.strokeStyle = styleColour("--panel");
      ctx.stroke();
    }
  }

  // ---- hands ---------------------------------------------------------------------------------

  private find(px: number, py: number): Grip | null {
    let best: Grip | null = null;
    let least = GRAB;
    for (const { grip, latent } of this.handles()) {
      const [x, y] = this.toScreen(this.place(latent));
      const d = Math.hypot(x - px, y - py);
      if (d < least) [least, best] = [d, grip];
    }
    return best;
  }

  private latentOf(grip: Grip): number[] {
    const { from, to, via } = this.store.state;
    return grip.kind === "via" ? via[grip.index]! : grip.kind === "from" ? from : to;
  }

  private moveGrip(grip: Grip, latent: number[]): void {
    if (grip.kind === "via")
      this.store.update({ via: this.store.state.via.map((p, i) => (i === grip.index ? latent : p)) });
    else this.store.update({ [grip.kind]: latent });
  }

  private listen(): void {
    const c = this.surface.canvas;
    c.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      this.parent.focus();
      this.grip = this.find(e.offsetX, e.offsetY);
      if (this.grip) {
        this.selected = this.grip;
        this.hoverListener(null);
        this.dragListener(true);
      } else this.panning = { x: e.offsetX, y: e.offsetY };
      c.style.cursor = "grabbing";
      c.setPointerCapture(e.pointerId);
      this.surface.refresh();
    });
    c.addEventListener("pointermove", (e) => this.pointerMoved(e));
    const release = (): void => {
      if (this.grip) this.dragListener(false);
      this.grip = this.panning = null;
    };
    c.addEventListener("pointerup", release);
    c.addEventListener("pointercancel", release);
    c.addEventListener("pointerleave", () => this.hoverListener(null));
    c.addEventListener("dblclick", (e) => {
      if (!this.find(e.offsetX, e.offsetY)) this.addVia(this.toLatent(e.offsetX, e.offsetY, this.path ? this.nearestNode(e) : this.store.state.from));
    });
    c.addEventListener("wheel", (e) => this.zoom(e), { passive: false });
  }

  /** The node of the path that is nearest on the screen. */
  private nearestNode(e: MouseEvent): number[] {
    const Q = this.info.latentDim;
    let [best, least] = [0, Infinity];
    for (let i = 0; i < this.path!.nodes; i++) {
      const [x, y] = this.toScreen(this.place(this.path!.latent, i * Q));
      const d = Math.hypot(x - e.offsetX, y - e.offsetY);
      if (d < least) [least, best] = [d, i];
    }
    return Array.from(this.path!.latent.subarray(best * Q, (best + 1) * Q));
  }

  private addVia(latent: number[]): void {
    const via = insertVia(this.store.state.via, latent, this.path, this.info.latentDim);
    this.selected = { kind: "via", index: via.indexOf(latent) };
    this.store.update({ via });
  }

  private pointerMoved(e: PointerEvent): void {
    if (this.grip) {
      this.moveGrip(this.grip, this.toLatent(e.offsetX, e.offsetY, this.latentOf(this.grip)));
    } else if (this.panning) {
      this.view.x -= (e.offsetX - this.panning.x) / this.view.scale;
      if (!this.isLine) this.view.y += (e.offsetY - this.panning.y) / (this.view.scale * this.stretch);
      this.panning = { x: e.offsetX, y: e.offsetY };
      this.moved();
    } else {
      this.surface.canvas.style.cursor = this.find(e.offsetX, e.offsetY) ? "grab" : "crosshair";
      this.hoverListener(this.toLatent(e.offsetX, e.offsetY, this.store.state.from));
    }
  }

  private zoom(e: WheelEvent): void {
    e.preventDefault();
    const { from } = this.store.state;
    const before = this.toLatent(e.offsetX, e.offsetY, from);
    this.view.scale *= Math.exp(-e.deltaY * 0.0015);
    const after = this.toLatent(e.offsetX, e.offsetY, from);
    const [a, b] = this.axes;
    this.view.x += before[a!]! - after[a!]!;
    if (b !== undefined) this.view.y += before[b]! - after[b]!;
    this.moved();
  }

  /** Arrows move the selected handle, H selects the next one, Delete removes a point to pass, 0 shows all. */
  key(e: KeyboardEvent): boolean {
    const step = (e.shiftKey ? 20 : 4) / this.view.scale;
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (direction) {
      const latent = this.latentOf(this.selected).slice();
      this.axes.forEach((a, k) => (latent[a] = latent[a]! + (direction[k]! * step) / (k ? this.stretch : 1)));
      this.moveGrip(this.selected, latent);
    } else if ((e.key === "Delete" || e.key === "Backspace") && this.selected.kind === "via") {
      const { index } = this.selected;
      this.selected = { kind: "to" };
      this.store.update({ via: this.store.state.via.filter((_, i) => i !== index) });
    } else if (e.key === "0") this.fit();
    else if (e.key === "h") {
      const all = this.handles();
      const at = all.findIndex((one) => sameGrip(one.grip, this.selected));
      this.selected = all[(at + 1) % all.length]!.grip;
      this.surface.refresh();
    } else return false;
    return true;
  }
}

/** The points to pass with one more, in the order in which the path comes near them. */
export function insertVia(via: number[][], latent: number[], path: Path | null, Q: number): number[][] {
  if (!path) return [...via, latent];
  const position = (p: number[]): number => {
    let [best, least] = [0, Infinity];
    for (let i = 0; i < path.nodes; i++) {
      let d = 0;
      for (let q = 0; q < Q; q++) d += (path.latent[i * Q + q]! - p[q]!) ** 2;
      if (d < least) [least, best] = [d, i];
    }
    return best;
  };
  const mine = position(latent);
  const before = via.findIndex((p) => position(p) > mine);
  return before < 0 ? [...via, latent] : [...via.slice(0, before), latent, ...via.slice(before)];
}

/** Dots at x, y, x, y, ... */
function drawDots(ctx: CanvasRenderingContext2D, colour: string, places: number[], radius: number, square: boolean): void {
  ctx.beginPath();
  for (let k = 0; k < places.length; k += 2) {
    const [x, y] = [places[k]!, places[k + 1]!];
    if (square) ctx.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else {
      ctx.moveTo(x + radius, y);
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
    }
  }
  if (!square) {
    ctx.lineWidth = 1.6;
    ctx.strokeStyle = "rgb(255 255 255 / 70%)";
    ctx.stroke();
  }
  ctx.fillStyle = colour;
  ctx.fill();
}

/** The values that the ends of the colours stand for: all but the outermost hundredths. */
function range(values: Float64Array): [number, number] {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  return [sorted[Math.floor(0.01 * sorted.length)] ?? 0, sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 1];
}

/** Colours of a grid; the first axis is fastest, the second points up. */
/** Latent points that decode into an obstacle have its colour, with the map just visible through it. */
function shade(heat: Rgb, clearance: number, obstacle: Rgb): Rgb {
  const part = clearance < 0 ? 0.8 : 0;
  return [0, 1, 2].map((c) => heat[c]! + part * (obstacle[c]! - heat[c]!)) as Rgb;
}

function heatImage(grid: Grid, values: Float64Array, [low, high]: [number, number]): HTMLCanvasElement {
  const [nx, ny] = grid.counts;
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const ctx = canvas.getContext("2d")!;
  const image = ctx.createImageData(nx, ny);
  const panel = styleRgb("--panel");
  const obstacle = styleRgb("--obstacle");
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const k = j * nx + i;
      const heat = heatColour((values[k]! - low) / (high - low || 1), panel);
      image.data.set([...shade(heat, grid.clearance[k]!, obstacle), 255], 4 * ((ny - 1 - j) * nx + i));
    }
  ctx.putImageData(image, 0, 0);
  return canvas;
}
