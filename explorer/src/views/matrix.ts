// A positive definite matrix: itself as correlations, its difference from the mean, and its strongest links on a circle.
import { css, mapColour, styleColour } from "../colours";
import type { Factor } from "../protocol";
import { CanvasView, type Subject, nodeAt } from "./view";

const LINKS = 40; // strongest ones that are drawn

interface Place {
  x: number;
  y: number;
  size: number;
}

export class MatrixView extends CanvasView {
  private mean: Float64Array;

  constructor(
    parent: HTMLElement,
    subject: Subject,
    private factor: Factor,
  ) {
    super(parent, subject);
    this.mean = this.meanCorrelation();
  }

  /** c_ij = a_ij / sqrt(a_ii a_jj) */
  private correlation(points: Float64Array, row: number): Float64Array {
    const { n, offset } = this.factor;
    const at = row * this.subject.info.ambient + offset;
    const out = new Float64Array(n * n);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        out[i * n + j] = points[at + i * n + j]! / Math.sqrt(points[at + i * n + i]! * points[at + j * n + j]!);
    return out;
  }

  private meanCorrelation(): Float64Array {
    const { info, points } = this.subject;
    const sum = new Float64Array(this.factor.n ** 2);
    for (let i = 0; i < info.points; i++) this.correlation(points, i).forEach((c, k) => (sum[k] = sum[k]! + c / info.points));
    return sum;
  }

  protected draw(ctx: CanvasRenderingContext2D): void {
    const d = this.decoded;
    if (!d?.path && !d?.hover) return;
    const shown = d.hover ? this.correlation(d.hover, 0) : this.correlation(d.path!.points, nodeAt(d.path!, this.subject.store.state.time));
    const difference = shown.map((c, k) => c - this.mean[k]!);
    const largest = Math.max(...Array.from(difference, Math.abs), 1e-9);
    const places = this.places();
    this.matrix(ctx, "correlations", shown, 1, places[0]!);
    this.matrix(ctx, `difference from the mean (±${largest.toPrecision(2)})`, difference, largest, places[1]!);
    this.circle(ctx, "strongest differences", difference, largest, places[2]!);
  }

  /** Three squares: two above and one below, or side by side where it is very wide. */
  private places(): { x: number; y: number; size: number }[] {
    const { width, height } = this.surface;
    const gap = 34;
    const row = Math.min((width - 2 * gap) / 3 - 8, height - 2 * gap);
    const pair = Math.min((width - 3 * 22) / 2, (height - 2 * gap - 10) / 2);
    if (row >= pair) return [0, 1, 2].map((k) => ({ x: (width - 3 * row - 2 * gap) / 2 + k * (row + gap), y: (height - row) / 2, size: row }));
    const left = (width - 2 * pair - 22) / 2;
    const top = (height - 2 * pair - gap) / 2 + 8;
    return [
      { x: left, y: top, size: pair },
      { x: left + pair + 22, y: top, size: pair },
      { x: (width - pair) / 2, y: top + pair + gap, size: pair },
    ];
  }

  private matrix(ctx: CanvasRenderingContext2D, title: string, values: Float64Array, range: number, { x, y, size }: Place): void {
    const { n } = this.factor;
    const cell = size / n;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        ctx.fillStyle = css(mapColour("diverging", 0.5 + (0.5 * values[i * n + j]!) / range));
        ctx.fillRect(x + j * cell, y + i * cell, cell + 0.5, cell + 0.5);
      }
    this.title(ctx, title, x, y);
  }

  private title(ctx: CanvasRenderingContext2D, text: string, x: number, y: number): void {
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.fillStyle = styleColour("--soft");
    ctx.fillText(text, x, y - 6);
  }

  /** Links that differ most from the mean, on a circle of regions. */
  private circle(ctx: CanvasRenderingContext2D, title: string, difference: Float64Array, range: number, { x, y, size }: Place): void {
    const { n } = this.factor;
    const links: [number, number, number][] = [];
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) links.push([i, j, difference[i * n + j]!]);
    links.sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]));
    const centre = [x + size / 2, y + size / 2] as const;
    const at = (i: number): [number, number] => {
      const angle = (2 * Math.PI * i) / n - Math.PI / 2;
      return [centre[0] + 0.46 * size * Math.cos(angle), centre[1] + 0.46 * size * Math.sin(angle)];
    };
    for (const [i, j, value] of links.slice(0, LINKS)) {
      ctx.beginPath();
      ctx.moveTo(...at(i));
      ctx.quadraticCurveTo(centre[0], centre[1], ...at(j));
      ctx.strokeStyle = css(mapColour("diverging", value > 0 ? 0.92 : 0.08));
      ctx.globalAlpha = 0.15 + (0.75 * Math.abs(value)) / range;
      ctx.lineWidth = 0.5 + (3 * Math.abs(value)) / range;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
    for (let i = 0; i < n; i++) {
      ctx.beginPath();
      ctx.arc(...at(i), 3, 0, 2 * Math.PI);
      ctx.fillStyle = styleColour("--soft");
      ctx.fill();
    }
    this.title(ctx, title, x, y);
  }
}
