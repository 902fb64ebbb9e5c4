// Coordinates along the path, with bands of two deviations: what every manifold has.
import { groupColour, styleColour } from "../colours";
import type { Path } from "../protocol";
import { Surface, tickText, ticks } from "../surface";
import { type Decoded, type Subject, type View, eachTrajectory, factorText, nodeAt, widened } from "./view";

const MOST = 12; // panels

interface Entry {
  offset: number;
  name: string;
  unit: number; // of a deviation
  angle: boolean;
  middle: number; // of angles: they are shown within half a turn of it
  range: [number, number]; // of the training data
}

interface Axes {
  x: (t: number) => number;
  y: (value: number) => number;
  low: number;
  high: number;
}

export class SeriesView implements View {
  private surface: Surface;
  private decoded: Decoded | null = null;
  private entries: Entry[];
  private unsubscribe: () => void;

  constructor(
    parent: HTMLElement,
    private subject: Subject,
  ) {
    const { info } = subject;
    const all = info.factors.flatMap((factor, f) => {
      const unit = factor.name === "R" ? (info.scale[f] ?? 1) : 1;
      if (factor.name === "S" && factor.n === 1) return [this.entry(factor.offset, `angle ${f + 1}`, unit, true)];
      const columns = Array.from({ length: factor.ambient }, (_, k) => k);
      const upper = columns.filter((k) => !factor.name.startsWith("SPD") || k % factor.n >= Math.floor(k / factor.n));
      return upper.map((k) => this.entry(factor.offset + k, `${info.columns[factor.offset + k]} (${factorText(factor)})`, unit, false));
    });
    this.entries = all.slice(0, MOST);
    this.surface = new Surface(parent, (ctx) => this.draw(ctx));
    this.unsubscribe = subject.store.subscribe((_, changed) => changed.has("time") && this.surface.refresh());
  }

  private entry(offset: number, name: string, unit: number, angle: boolean): Entry {
    const { info, points } = this.subject;
    const made: Entry = { offset, name, unit, angle, middle: 0, range: [0, 1] };
    if (angle) {
      let [c, s] = [0, 0];
      for (let i = 0; i < info.points; i++) [c, s] = [c + points[i * info.ambient + offset]!, s + points[i * info.ambient + offset + 1]!];
      made.middle = Math.atan2(s, c);
    }
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < info.points; i++) {
      const v = this.value(points, i, made);
      [low, high] = [Math.min(low, v), Math.max(high, v)];
    }
    made.range = widened(low, high, 0.12);
    return made;
  }

  get canvas(): HTMLCanvasElement {
    return this.surface.canvas;
  }
  destroy(): void {
    this.unsubscribe();
    this.surface.destroy();
  }
  drawOn(ctx: CanvasRenderingContext2D): boolean {
    this.surface.drawOn(ctx);
    return true;
  }
  show(decoded: Decoded): void {
    this.decoded = decoded;
    this.surface.refresh();
  }

  private value(points: Float64Array, row: number, e: Entry): number {
    const at = row * this.subject.info.ambient + e.offset;
    if (!e.angle) return points[at]!;
    const turn = Math.atan2(points[at + 1]!, points[at]!) - e.middle;
    return e.middle + turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  }

  private draw(ctx: CanvasRenderingContext2D): void {
    const n = this.entries.length;
    const columns = this.surface.width > 520 && n > 3 ? 2 : 1;
    const rows = Math.ceil(n / columns);
    const width = this.surface.width / columns;
    const height = this.surface.height / rows;
    this.entries.forEach((e, k) => {
      ctx.save();
      ctx.translate((k % columns) * width, Math.floor(k / columns) * height);
      this.panel(ctx, e, width, height);
      ctx.restore();
    });
  }

  private panel(ctx: CanvasRenderingContext2D, e: Entry, width: number, height: number): void {
    const { info, points } = this.subject;
    const [low, high] = e.range;
    const axes: Axes = {
      low,
      high,
      x: (t) => 46 + t * (width - 58),
      y: (v) => height - 10 - ((v - low) / (high - low)) * (height - 32),
    };
    this.frame(ctx, e.name, axes);
    ctx.save();
    ctx.beginPath();
    ctx.rect(46, 20, width - 58, height - 28);
    ctx.clip();
    ctx.globalAlpha = 0.45;
    if (info.trajectories.length) eachTrajectory(info, (start, count, k) => this.curve(ctx, points, start, count, e, axes, groupColour(k), 1));
    ctx.globalAlpha = 1;
    this.drawDecoded(ctx, e, axes, height);
    ctx.restore();
  }

  private frame(ctx: CanvasRenderingContext2D, name: string, axes: Axes): void {
    ctx.font = "11px system-ui, sans-serif";
    ctx.strokeStyle = styleColour("--line");
    ctx.lineWidth = 1;
    ctx.textAlign = "right";
    for (const t of ticks(axes.low, axes.high, 3)) {
      ctx.beginPath();
      ctx.moveTo(axes.x(0), axes.y(t));
      ctx.lineTo(axes.x(1), axes.y(t));
      ctx.stroke();
      ctx.fillStyle = styleColour("--soft");
      ctx.fillText(tickText(t), axes.x(0) - 6, axes.y(t) + 4);
    }
    ctx.textAlign = "left";
    ctx.fillStyle = styleColour("--ink");
    ctx.fillText(name, axes.x(0), 14);
  }

  /** Broken where an angle jumps by a turn. */
  private curve(ctx: CanvasRenderingContext2D, points: Float64Array, start: number, count: number, e: Entry, axes: Axes, colour: string, width: number): void {
    let last = NaN;
    ctx.beginPath();
    for (let i = 0; i < count; i++) {
      const value = this.value(points, start + i, e);
      const [x, y] = [axes.x(i / Math.max(1, count - 1)), axes.y(value)];
      if (e.angle && Math.abs(value - last) > Math.PI) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
      last = value;
    }
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }

  private drawDecoded(ctx: CanvasRenderingContext2D, e: Entry, axes: Axes, height: number): void {
    const d = this.decoded;
    const path = d?.path;
    if (!d || !path) return;
    const { ambient } = this.subject.info;
    for (const sample of d.samples) this.curve(ctx, sample, 0, sample.length / ambient, e, axes, styleColour("--new"), 1);
    this.band(ctx, path, e, axes);
    if (d.straight) {
      ctx.setLineDash([6, 5]);
      this.curve(ctx, d.straight, 0, d.straight.length / ambient, e, axes, styleColour("--straight"), 1.6);
      ctx.setLineDash([]);
    }
    this.curve(ctx, path.points, 0, path.nodes, e, axes, styleColour("--geodesic"), 2.6);
    const at = axes.x(nodeAt(path, this.subject.store.state.time) / (path.nodes - 1));
    rule(ctx, [at, 20], [at, height - 8], styleColour("--soft"));
    if (!d.hover) return;
    const y = axes.y(this.value(d.hover, 0, e));
    rule(ctx, [axes.x(0), y], [axes.x(1), y], styleColour("--accent"));
  }

  /** Two deviations around the path. */
  private band(ctx: CanvasRenderingContext2D, path: Path, e: Entry, axes: Axes): void {
    const edge = (i: number, sign: number): [number, number] => [
      axes.x(i / (path.nodes - 1)),
      axes.y(this.value(path.points, i, e) + sign * 2 * path.deviation[i]! * e.unit),
    ];
    ctx.beginPath();
    for (let i = 0; i < path.nodes; i++) ctx.lineTo(...edge(i, 1));
    for (let i = path.nodes - 1; i >= 0; i--) ctx.lineTo(...edge(i, -1));
    ctx.fillStyle = styleColour("--geodesic");
    ctx.globalAlpha = 0.18;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
}

function rule(ctx: CanvasRenderingContext2D, from: [number, number], to: [number, number], colour: string): void {
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.stroke();
}
