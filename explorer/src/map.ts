// The latent map in one or two dimensions: colour of the metric, training points, the path and its handles.
import { css, groupColour, isDark, mapColour, styleColour } from "./colours";
import type { Grid, ModelInfo, Path } from "./protocol";
import type { Store } from "./state";
import { Surface, strokeHalo, tickText, ticks } from "./surface";

export interface MapView {
  setGrid(grid: Grid, box: [number, number, number, number]): void;
  setPath(path: Path | null): void;
  setNew(latents: Float64Array): void;
  refresh(): void;
  /** The part of the latent space that is visible, for the colour: first axis from, to, second axis from, to. */
  box(): [number, number, number, number];
  onBox(listener: () => void): void;
  onHover(listener: (latent: number[] | null) => void): void;
  onDrag(listener: (dragging: boolean) => void): void;
  key(event: KeyboardEvent): boolean;
  readonly canvas: HTMLCanvasElement;
  destroy(): void;
}

type Grip = { kind: "from" | "to" } | { kind: "via"; index: number };

const HANDLE = 9; // radius in pixels
const GRAB = 16;

export class PlaneMap implements MapView {
  private surface: Surface;
  private layer = document.createElement("canvas"); // heat and points as last drawn, moved while panning
  private layerView = { x: 0, y: 0, scale: 1 };
  private layerDirty = true;
  private view = { x: 0, y: 0, scale: 1 }; // latent centre, pixels per unit
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

  constructor(
    private parent: HTMLElement,
    private info: ModelInfo,
    private latents: Float64Array,
    private store: Store,
  ) {
    this.surface = new Surface(parent, (ctx) => this.draw(ctx));
    this.listen();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.restyle);
  }

  get canvas(): HTMLCanvasElement {
    return this.surface.canvas;
  }

  destroy(): void {
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.restyle);
    this.surface.canvas.remove();
  }

  private restyle = (): void => this.refresh();

  // ---- coordinates ---------------------------------------------------------------------------

  private get axes(): number[] {
    return this.store.state.axes;
  }

  /** Height of a point on a map of one dimension: trajectories above each other. */
  private level(i: number): number {
    const k = this.info.trajectories.findIndex((t) => i >= t.start && i < t.start + t.count);
    const rows = Math.max(1, this.info.trajectories.length);
    return (((k < 0 ? 0 : k) + 0.5) / rows - 0.5) * 0.5;
  }

  private place(latent: ArrayLike<number>, offset = 0): [number, number] {
    const [a, b] = this.axes;
    return [latent[offset + a!]!, b === undefined ? 0 : latent[offset + b]!];
  }

  private toScreen([x, y]: [number, number]): [number, number] {
    const { width, height } = this.surface;
    const vertical = this.axes.length === 1 ? height * 0.8 : this.view.scale;
    return [width / 2 + (x - this.view.x) * this.view.scale, height / 2 - (y - this.view.y) * vertical];
  }

  private toLatent(px: number, py: number, like: number[]): number[] {
    const { width, height } = this.surface;
    const result = like.slice();
    result[this.axes[0]!] = this.view.x + (px - width / 2) / this.view.scale;
    if (this.axes.length > 1) result[this.axes[1]!] = this.view.y - (py - height / 2) / this.view.scale;
    return result;
  }

  /** Show all points. */
  fit(): void {
    const [a, b] = this.axes;
    const [x0, x1] = this.info.box[a!]!;
    const [y0, y1] = b === undefined ? [-0.5, 0.5] : this.info.box[b]!;
    const { width, height } = this.surface;
    this.view.x = (x0 + x1) / 2;
    this.view.y = (y0 + y1) / 2;
    const horizontal = width / (x1 - x0);
    this.view.scale = 0.96 * (b === undefined ? horizontal : Math.min(horizontal, height / (y1 - y0)));
    this.fitted = true;
    this.moved();
  }

  box(): [number, number, number, number] {
    const { width, height } = this.surface;
    const halfX = width / 2 / this.view.scale;
    const halfY = this.axes.length === 1 ? 0.5 : height / 2 / this.view.scale;
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
    this.heat = this.axes.length === 1 ? null : heatImage(grid, this.store.state.mapColour);
    this.refresh();
  }

  setPath(path: Path | null): void {
    this.path = path;
    this.surface.refresh();
  }

  setNew(latents: Float64Array): void {
    this.fresh = latents;
    this.refresh();
  }

  refresh(): void {
    if (this.grid && this.axes.length > 1) this.heat = heatImage(this.grid, this.store.state.mapColour);
    this.layerDirty = true;
    this.surface.refresh();
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
    const { width, height } = this.surface;
    if (!this.fitted && width > 10) this.fit();
    if (this.layerDirty) this.drawLayer();
    this.blitLayer(ctx);
    this.drawAxes(ctx, width, height);
    this.drawPaths(ctx);
    this.drawHandles(ctx);
  }

  /** Heat and points are drawn once; while the map is moved their picture is moved. */
  private drawLayer(): void {
    const scale = devicePixelRatio;
    const { width, height } = this.surface;
    this.layer.width = Math.round(width * scale);
    this.layer.height = Math.round(height * scale);
    const ctx = this.layer.getContext("2d")!;
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    if (this.heat) {
      const [x0, y1] = this.toScreen([this.heatBox[0], this.heatBox[3]]);
      const [x1, y0] = this.toScreen([this.heatBox[1], this.heatBox[2]]);
      ctx.imageSmoothingQuality = "high";
      ctx.drawImage(this.heat, x0, y1, x1 - x0, y0 - y1);
    } else if (this.grid) this.drawProfile(ctx);
    this.drawPoints(ctx);
    this.layerView = { ...this.view };
    this.layerDirty = false;
  }

  private blitLayer(ctx: CanvasRenderingContext2D): void {
    const { width, height } = this.surface;
    const zoom = this.view.scale / this.layerView.scale;
    const x = width / 2 + (this.layerView.x - this.view.x) * this.view.scale;
    const y = height / 2 - (this.layerView.y - this.view.y) * this.view.scale;
    ctx.drawImage(this.layer, x - (width / 2) * zoom, y - (height / 2) * zoom, width * zoom, height * zoom);
  }

  /** One dimension: the metric as a curve under the points. */
  private drawProfile(ctx: CanvasRenderingContext2D): void {
    const values = this.grid![this.store.state.mapColour];
    const low = Math.min(...values);
    const high = Math.max(...values);
    const { width, height } = this.surface;
    ctx.beginPath();
    ctx.moveTo(0, height);
    for (let i = 0; i < values.length; i++) {
      const x = this.heatBox[0] + (i / (values.length - 1)) * (this.heatBox[1] - this.heatBox[0]);
      const t = (values[i]! - low) / (high - low || 1);
      ctx.lineTo(this.toScreen([x, 0])[0], height - 16 - t * (height * 0.45));
    }
    ctx.lineTo(width, height);
    ctx.fillStyle = css(mapColour("sequential", isDark() ? 0.35 : 0.8), 0.35);
    ctx.fill();
  }

  private drawPoints(ctx: CanvasRenderingContext2D): void {
    const { latentDim: Q, points } = this.info;
    const many = points > 5000;
    const radius = many ? 1 : points > 1000 ? 2 : 2.6;
    const groups = new Map<string, [number, number][]>();
    const levels = this.axes.length === 1;
    for (let i = 0; i < points; i++) {
      const [x, y] = this.place(this.latents, i * Q);
      const [px, py] = this.toScreen([x, levels ? this.level(i) : y]);
      if (px < -9 || py < -9 || px > this.surface.width + 9 || py > this.surface.height + 9) continue;
      const colour = this.pointColour(i);
      const group = groups.get(colour);
      if (group) group.push([px, py]);
      else groups.set(colour, [[px, py]]);
    }
    for (const [colour, places] of groups) drawDots(ctx, colour, places, radius, many);
    const fresh: [number, number][] = [];
    for (let i = 0; i < this.fresh.length / Q; i++) fresh.push(this.toScreen(this.place(this.fresh, i * Q)));
    drawDots(ctx, styleColour("--new"), fresh, radius + 2, false);
  }

  private pointColour(i: number): string {
    const { pointColour } = this.store.state;
    if (pointColour === "label") return groupColour(this.info.labels[i] ?? 0);
    const t = this.info.trajectories.findIndex((one) => i >= one.start && i < one.start + one.count);
    if (pointColour === "trajectory" && t >= 0) return groupColour(t);
    const one = this.info.trajectories[t];
    const phase = one ? (i - one.start) / Math.max(1, one.count - 1) : i / Math.max(1, this.info.points - 1);
    return css(mapColour("diverging", Math.round(phase * 24) / 24));
  }

  private drawAxes(ctx: CanvasRenderingContext2D, width: number, height: number): void {
    const [x0, x1, y0, y1] = this.box();
    ctx.font = "11px system-ui";
    ctx.textAlign = "center";
    const text = (value: string, x: number, y: number): void => {
      ctx.strokeStyle = styleColour("--panel");
      ctx.lineWidth = 3;
      ctx.strokeText(value, x, y);
      ctx.fillStyle = styleColour("--soft");
      ctx.fillText(value, x, y);
    };
    for (const t of ticks(x0, x1, 6)) text(tickText(t), this.toScreen([t, 0])[0], height - 4);
    if (this.axes.length > 1) for (const t of ticks(y0, y1, 5)) text(tickText(t), width - 18, this.toScreen([0, t])[1] + 3);
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
    strokeHalo(ctx, styleColour("--geodesic"), halo, 3);
    const k = Math.round(time * (this.path.nodes - 1));
    const [x, y] = this.toScreen(this.place(this.path.latent, k * this.info.latentDim));
    ctx.beginPath();
    ctx.arc(x, y, 5, 0, 7);
    ctx.fillStyle = styleColour("--geodesic");
    ctx.fill();
    ctx.lineWidth = 2;
    ctx.strokeStyle = "#fff";
    ctx.stroke();
  }

  private handles(): { grip: Grip; latent: number[]; colour: string }[] {
    const { from, to, via } = this.store.state;
    return [
      ...via.map((latent, index) => ({ grip: { kind: "via", index } as Grip, latent, colour: styleColour("--via") })),
      { grip: { kind: "from" }, latent: from, colour: styleColour("--from") },
      { grip: { kind: "to" }, latent: to, colour: styleColour("--to") },
    ];
  }

  private drawHandles(ctx: CanvasRenderingContext2D): void {
    for (const { grip, latent, colour } of this.handles()) {
      const [x, y] = this.toScreen(this.place(latent));
      ctx.beginPath();
      if (grip.kind === "to") ctx.roundRect(x - HANDLE, y - HANDLE, 2 * HANDLE, 2 * HANDLE, 4);
      else ctx.arc(x, y, grip.kind === "via" ? HANDLE - 2 : HANDLE, 0, 7);
      ctx.fillStyle = colour;
      ctx.fill();
      ctx.lineWidth = sameGrip(grip, this.selected) ? 3.5 : 2;
      ctx.strokeStyle = "#fff";
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
        this.dragListener(true);
      } else this.panning = { x: e.offsetX, y: e.offsetY };
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
      if (this.find(e.offsetX, e.offsetY)) return;
      const { via } = this.store.state;
      this.selected = { kind: "via", index: via.length };
      this.store.update({ via: [...via, this.toLatent(e.offsetX, e.offsetY, this.store.state.from)] });
    });
    c.addEventListener("wheel", (e) => this.zoom(e), { passive: false });
  }

  private pointerMoved(e: PointerEvent): void {
    if (this.grip) {
      this.moveGrip(this.grip, this.toLatent(e.offsetX, e.offsetY, this.latentOf(this.grip)));
    } else if (this.panning) {
      this.view.x -= (e.offsetX - this.panning.x) / this.view.scale;
      if (this.axes.length > 1) this.view.y += (e.offsetY - this.panning.y) / this.view.scale;
      this.panning = { x: e.offsetX, y: e.offsetY };
      this.moved();
    } else {
      this.surface.canvas.style.cursor = this.find(e.offsetX, e.offsetY) ? "grab" : "crosshair";
      this.hoverListener(this.toLatent(e.offsetX, e.offsetY, this.store.state.from));
    }
  }

  private zoom(e: WheelEvent): void {
    e.preventDefault();
    const factor = Math.exp(-e.deltaY * 0.0015);
    const before = this.toLatent(e.offsetX, e.offsetY, this.store.state.from);
    this.view.scale *= factor;
    const after = this.toLatent(e.offsetX, e.offsetY, this.store.state.from);
    const [a, b] = this.axes;
    this.view.x += before[a!]! - after[a!]!;
    if (b !== undefined) this.view.y += before[b]! - after[b]!;
    this.moved();
  }

  /** Arrows move the selected handle, Tab selects the next one, Delete removes a via point, 0 shows all. */
  key(e: KeyboardEvent): boolean {
    const step = (e.shiftKey ? 20 : 4) / this.view.scale;
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (direction) {
      const latent = this.latentOf(this.selected).slice();
      this.axes.forEach((a, k) => (latent[a] = latent[a]! + direction[k]! * step));
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

const sameGrip = (a: Grip, b: Grip): boolean => a.kind === b.kind && (a.kind !== "via" || (b.kind === "via" && a.index === b.index));

function drawDots(ctx: CanvasRenderingContext2D, colour: string, places: [number, number][], radius: number, square: boolean): void {
  ctx.beginPath();
  for (const [x, y] of places) {
    if (square) ctx.rect(x - radius, y - radius, 2 * radius, 2 * radius);
    else {
      ctx.moveTo(x + radius, y);
      ctx.arc(x, y, radius, 0, 7);
    }
  }
  ctx.fillStyle = colour;
  ctx.fill();
  if (!square) {
    ctx.lineWidth = 0.7;
    ctx.strokeStyle = "rgb(255 255 255 / 75%)";
    ctx.stroke();
  }
}

/** Colours of a grid; the first axis is fastest, the second points up. */
export function heatImage(grid: Grid, which: "magnification" | "deviation"): HTMLCanvasElement {
  const [nx, ny] = grid.counts;
  const canvas = document.createElement("canvas");
  canvas.width = nx;
  canvas.height = ny;
  const ctx = canvas.getContext("2d")!;
  const image = ctx.createImageData(nx, ny);
  const values = grid[which];
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  const low = sorted[Math.floor(0.01 * sorted.length)] ?? 0;
  const high = sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 1;
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const t = (values[j * nx + i]! - low) / (high - low || 1);
      const [r, g, b] = mapColour("sequential", t);
      image.data.set([r, g, b, 255], 4 * ((ny - 1 - j) * nx + i));
    }
  ctx.putImageData(image, 0, 0);
  return canvas;
}
