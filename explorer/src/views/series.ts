// Coordinates along the path, with bands of two deviations: what every manifold has.
import { groupColour, styleColour } from "../colours";
import type { Factor } from "../protocol";
import { Surface, tickText, ticks } from "../surface";
import { type Decoded, type Subject, type View, eachTrajectory, factorText, nodeAt } from "./view";

const MOST = 12; // panels

export class SeriesView implements View {
  private surface: Surface;
  private decoded: Decoded | null = null;
  private entries: { offset: number; name: string; factor: Factor; unit: number; angle: boolean }[];

  constructor(
    parent: HTMLElement,
    private subject: Subject,
  ) {
    const { info } = subject;
    const all = info.factors.flatMap((factor, f) =>
      factor.name === "S" && factor.n === 1
        ? [{ offset: factor.offset, name: `angle ${f + 1}`, factor, unit: 1, angle: true }]
        : Array.from({ length: factor.ambient }, (_, k) => ({
            offset: factor.offset + k,
            name: `${info.columns[factor.offset + k] ?? k} (${factorText(factor)})`,
            factor,
            unit: factor.name === "R" ? (info.scale[f] ?? 1) : 1,
            angle: false,
          })).filter((_, k) => factor.name !== "SPD" || k % factor.n >= Math.floor(k / factor.n)),
    );
    this.entries = all.slice(0, MOST);
    this.surface = new Surface(parent, (ctx) => this.draw(ctx));
    subject.store.subscribe((_, changed) => changed.has("time") && this.surface.refresh());
  }

  get canvas(): HTMLCanvasElement {
    return this.surface.canvas;
  }
  destroy(): void {
    this.surface.canvas.remove();
  }
  show(decoded: Decoded): void {
    this.decoded = decoded;
    this.surface.refresh();
  }

  private value(points: Float64Array, row: number, e: { offset: number; angle: boolean }): number {
    const at = row * this.subject.info.ambient + e.offset;
    return e.angle ? Math.atan2(points[at + 1]!, points[at]!) : points[at]!;
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

  private panel(ctx: CanvasRenderingContext2D, e: (typeof this.entries)[number], width: number, height: number): void {
    const { info, points } = this.subject;
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < info.points; i++) {
      const v = this.value(points, i, e);
      [low, high] = [Math.min(low, v), Math.max(high, v)];
    }
    const margin = 0.12 * (high - low || 1);
    [low, high] = [low - margin, high + margin];
    const x = (t: number): number => 44 + t * (width - 54);
    const y = (v: number): number => height - 16 - ((v - low) / (high - low)) * (height - 32);
    this.frame(ctx, e.name, { low, high, x, y });
    ctx.save();
    ctx.beginPath();
    ctx.rect(44, 14, width - 54, height - 28);
    ctx.clip();
    ctx.globalAlpha = 0.4;
    if (info.trajectories.length)
      eachTrajectory(info, (start, count, k) => this.curve(ctx, points, start, count, e, x, y, groupColour(k), 1));
    ctx.globalAlpha = 1;
    this.drawDecoded(ctx, e, x, y, height);
    ctx.restore();
  }

  private frame(
    ctx: CanvasRenderingContext2D,
    name: string,
    axes: { low: number; high: number; x: (t: number) => number; y: (v: number) => number },
  ): void {
    ctx.font = "11px system-ui";
    ctx.strokeStyle = styleColour("--line");
    ctx.lineWidth = 1;
    ctx.textAlign = "right";
    for (const t of ticks(axes.low, axes.high, 3)) {
      ctx.beginPath();
      ctx.moveTo(axes.x(0), axes.y(t));
      ctx.lineTo(axes.x(1), axes.y(t));
      ctx.stroke();
      ctx.fillStyle = styleColour("--soft");
      ctx.fillText(tickText(t), axes.x(0) - 5, axes.y(t) + 4);
    }
    ctx.textAlign = "left";
    ctx.fillStyle = styleColour("--ink");
    ctx.fillText(name, axes.x(0) + 4, 11);
  }

  private curve(
    ctx: CanvasRenderingContext2D, points: Float64Array, start: number, count: number, e: (typeof this.entries)[number],
    x: (t: number) => number, y: (v: number) => number, colour: string, width: number,
  ): void {
    ctx.beginPath();
    for (let i = 0; i < count; i++) ctx.lineTo(x(i / Math.max(1, count - 1)), y(this.value(points, start + i, e)));
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }

  private drawDecoded(ctx: CanvasRenderingContext2D, e: (typeof this.entries)[number], x: (t: number) => number, y: (v: number) => number, height: number): void {
    const d = this.decoded;
    const path = d?.path;
    if (!d || !path) return;
    for (const sample of d.samples) this.curve(ctx, sample, 0, sample.length / this.subject.info.ambient, e, x, y, styleColour("--new"), 1);
    ctx.beginPath();
    for (let i = 0; i < path.nodes; i++) ctx.lineTo(x(i / (path.nodes - 1)), y(this.value(path.points, i, e) + 2 * path.deviation[i]! * e.unit));
    for (let i = path.nodes - 1; i >= 0; i--) ctx.lineTo(x(i / (path.nodes - 1)), y(this.value(path.points, i, e) - 2 * path.deviation[i]! * e.unit));
    ctx.fillStyle = styleColour("--geodesic");
    ctx.globalAlpha = 0.18;
    ctx.fill();
    ctx.globalAlpha = 1;
    if (d.straight) {
      ctx.setLineDash([6, 5]);
      this.curve(ctx, d.straight, 0, d.straight.length / this.subject.info.ambient, e, x, y, styleColour("--straight"), 1.6);
      ctx.setLineDash([]);
    }
    this.curve(ctx, path.points, 0, path.nodes, e, x, y, styleColour("--geodesic"), 2.4);
    const at = x(nodeAt(path, this.subject.store.state.time) / (path.nodes - 1));
    ctx.beginPath();
    ctx.moveTo(at, 14);
    ctx.lineTo(at, height - 14);
    ctx.strokeStyle = styleColour("--soft");
    ctx.lineWidth = 1;
    ctx.stroke();
    if (d.hover) {
      ctx.beginPath();
      ctx.moveTo(x(0), y(this.value(d.hover, 0, e)));
      ctx.lineTo(x(1), y(this.value(d.hover, 0, e)));
      ctx.strokeStyle = styleColour("--accent");
      ctx.stroke();
    }
  }
}
