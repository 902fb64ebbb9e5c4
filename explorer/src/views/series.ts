// Coordinates along the path, with bands of two deviations: what every manifold has.
import { groupColour, styleColour } from "../colours";
import type { Path } from "../protocol";
import { tickText, ticks } from "../surface";
import { CanvasView, type Subject, eachTrajectory, factorText, nodeAt, widened } from "./view";

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
  width: number; // of the panel
  height: number;
}

export class SeriesView extends CanvasView {
  private entries: Entry[];

  constructor(parent: HTMLElement, subject: Subject) {
    super(parent, subject);
    const { info } = subject;
    const all = info.factors.flatMap((factor, f) => {
      const unit = factor.name === "R" ? (info.scale[f] ?? 1) : 1;
      if (factor.name === "S" && factor.n === 1) return [this.entry(factor.offset, `angle ${f + 1}`, unit, true)];
      const columns = Array.from({ length: factor.ambient }, (_, k) => k);
      const upper = columns.filter((k) => factor.name !== "SPD" || k % factor.n >= Math.floor(k / factor.n));
      return upper.map((k) => this.entry(factor.offset + k, `${info.columns[factor.offset + k]} (${factorText(factor)})`, unit, false));
    });
    this.entries = all.slice(0, MOST);
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

  private value(points: Float64Array, row: number, e: Entry): number {
    const at = row * this.subject.info.ambient + e.offset;
    if (!e.angle) return points[at]!;
    const turn = Math.atan2(points[at + 1]!, points[at]!) - e.middle;
    return e.middle + turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  }

  protected override drawStill(ctx: CanvasRenderingContext2D): void {
    const { info, points } = this.subject;
    this.eachPanel(ctx, (e, axes) => {
      this.frame(ctx, e.name, axes);
      this.clip(ctx, axes);
      ctx.globalAlpha = 0.45;
      if (info.trajectories.length) eachTrajectory(info, (start, count, k) => this.curve(ctx, points, start, count, e, axes, groupColour(k), 1));
    });
  }

  protected draw(ctx: CanvasRenderingContext2D): void {
    this.eachPanel(ctx, (e, axes) => {
      this.clip(ctx, axes);
      this.drawDecoded(ctx, e, axes);
    });
  }

  /** Calls `draw` for every entry, with its panel's place as the origin. */
  private eachPanel(ctx: CanvasRenderingContext2D, draw: (e: Entry, axes: Axes) => void): void {
    const n = this.entries.length;
    const columns = this.surface.width > 520 && n > 3 ? 2 : 1;
    const width = this.surface.width / columns;
    const height = this.surface.height / Math.ceil(n / columns);
    this.entries.forEach((e, k) => {
      const [low, high] = e.range;
      ctx.save();
      ctx.translate((k % columns) * width, Math.floor(k / columns) * height);
      draw(e, {
        low,
        high,
        width,
        height,
        x: (t) => 46 + t * (width - 58),
        y: (v) => height - 10 - ((v - low) / (high - low)) * (height - 32),
      });
      ctx.restore();
    });
  }

  private clip(ctx: CanvasRenderingContext2D, { width, height }: Axes): void {
    ctx.beginPath();
    ctx.rect(46, 20, width - 58, height - 28);
    ctx.clip();
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

  private drawDecoded(ctx: CanvasRenderingContext2D, e: Entry, axes: Axes): void {
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
    rule(ctx, [at, 20], [at, axes.height - 8], styleColour("--soft"));
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
