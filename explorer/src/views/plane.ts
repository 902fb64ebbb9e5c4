// Curves in the plane: R2 (with SPD2 as ellipses along the curve, and obstacles that can be dragged), H2 in the Poincaré disc.
import { groupColour, isDark, styleColour } from "../colours";
import type { Factor, Path } from "../protocol";
import { strokeHalo, tickText, ticks } from "../surface";
import { CanvasView, type Decoded, type Subject, eachTrajectory, nodeAt } from "./view";

type Place = (points: Float64Array, row: number) => [number, number];

const OBSTACLE_GRAB = 1.15;
const ELLIPSES = 14; // along the path

export class PlaneView extends CanvasView {
  private box: [number, number, number, number];
  private dragging: number | null = null;
  private selected = -1; // obstacle

  constructor(
    private parent: HTMLElement,
    subject: Subject,
    private factor: Factor,
    private ellipses: Factor | null,
    private disc: boolean,
  ) {
    super(parent, subject, ["time", "obstacles"]);
    this.box = disc ? [-1.05, 1.05, -1.05, 1.05] : this.dataBox();
    if (!disc && subject.info.obstacles) this.listen();
  }

  // ---- places --------------------------------------------------------------------------------

  /** Position in the plane: the entries themselves, or x / (1 + x0) in the Poincaré disc. */
  private place: Place = (points, row) => {
    const at = row * this.subject.info.ambient + this.factor.offset;
    if (!this.disc) return [points[at]!, points[at + 1]!];
    return [points[at + 1]! / (1 + points[at]!), points[at + 2]! / (1 + points[at]!)];
  };

  private dataBox(): [number, number, number, number] {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < this.subject.info.points; i++) {
      const [x, y] = this.place(this.subject.points, i);
      [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
    }
    const margin = 0.12 * Math.max(x1 - x0, y1 - y0, 1e-9);
    return [x0 - margin, x1 + margin, y0 - margin, y1 + margin];
  }

  private get scale(): number {
    const [x0, x1, y0, y1] = this.box;
    return Math.min(this.surface.width / (x1 - x0), this.surface.height / (y1 - y0));
  }
  private toScreen([x, y]: [number, number]): [number, number] {
    const [x0, x1, y0, y1] = this.box;
    return [this.surface.width / 2 + (x - (x0 + x1) / 2) * this.scale, this.surface.height / 2 - (y - (y0 + y1) / 2) * this.scale];
  }
  private fromScreen(px: number, py: number): [number, number] {
    const [x0, x1, y0, y1] = this.box;
    return [(px - this.surface.width / 2) / this.scale + (x0 + x1) / 2, (y0 + y1) / 2 - (py - this.surface.height / 2) / this.scale];
  }

  // ---- drawing -------------------------------------------------------------------------------

  protected override drawStill(ctx: CanvasRenderingContext2D): void {
    if (this.disc) this.drawDisc(ctx);
    else this.drawTicks(ctx);
    this.drawDemonstrations(ctx);
  }

  protected draw(ctx: CanvasRenderingContext2D): void {
    this.drawObstacles(ctx);
    const d = this.decoded;
    if (!d) return;
    const halo = isDark() ? "rgb(0 0 0 / 60%)" : "rgb(255 255 255 / 85%)";
    for (const sample of d.samples) this.curve(ctx, sample, styleColour("--new"), 1);
    this.dots(ctx, d.fresh, styleColour("--new"));
    if (d.straight) {
      this.trace(ctx, d.straight, 0, d.straight.length / this.subject.info.ambient);
      strokeHalo(ctx, styleColour("--straight"), halo, 2, [7, 6]);
    }
    if (d.path) this.drawPath(ctx, d.path, halo);
    if (d.path && d.arm && !this.disc) this.drawArm(ctx, d.arm, nodeAt(d.path, this.subject.store.state.time));
    if (d.path) this.drawMarker(ctx, d.path.points, nodeAt(d.path, this.subject.store.state.time), styleColour("--geodesic"));
    if (d.hover) this.drawMarker(ctx, d.hover, 0, styleColour("--accent"));
  }

  private trace(ctx: CanvasRenderingContext2D, points: Float64Array, start: number, count: number): void {
    ctx.beginPath();
    for (let i = 0; i < count; i++) ctx.lineTo(...this.toScreen(this.place(points, start + i)));
  }

  private curve(ctx: CanvasRenderingContext2D, points: Float64Array, colour: string, width: number): void {
    this.trace(ctx, points, 0, points.length / this.subject.info.ambient);
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
  }

  private dots(ctx: CanvasRenderingContext2D, points: Float64Array, colour: string): void {
    ctx.fillStyle = colour;
    for (let i = 0; i < points.length / this.subject.info.ambient; i++) {
      ctx.beginPath();
      ctx.arc(...this.toScreen(this.place(points, i)), 3.5, 0, 2 * Math.PI);
      ctx.fill();
    }
  }

  private drawDemonstrations(ctx: CanvasRenderingContext2D): void {
    ctx.globalAlpha = 0.5;
    eachTrajectory(this.subject.info, (start, count, k) => {
      ctx.strokeStyle = ctx.fillStyle = groupColour(k);
      if (count === 1) {
        ctx.beginPath();
        ctx.arc(...this.toScreen(this.place(this.subject.points, start)), 2.2, 0, 2 * Math.PI);
        ctx.fill();
        return;
      }
      this.trace(ctx, this.subject.points, start, count);
      ctx.lineWidth = 1.3;
      ctx.stroke();
    });
    ctx.globalAlpha = 1;
  }

  /** The path, a band of two deviations around it, and ellipses along it. */
  private drawPath(ctx: CanvasRenderingContext2D, path: Path, halo: string): void {
    this.drawBand(ctx, path);
    this.trace(ctx, path.points, 0, path.nodes);
    strokeHalo(ctx, styleColour("--geodesic"), halo, 3.5);
    if (this.ellipses)
      for (let k = 0; k <= ELLIPSES; k++) this.drawEllipse(ctx, path.points, Math.round((k / ELLIPSES) * (path.nodes - 1)), 0.6);
  }

  /** Discs around the path, filled as one figure, so that they do not add up. */
  private drawBand(ctx: CanvasRenderingContext2D, path: Path): void {
    const { width } = this.surface;
    ctx.beginPath();
    for (let i = 0; i < path.nodes; i++) {
      const place = this.place(path.points, i);
      const [x, y] = this.toScreen(place);
      const radius = Math.min(width, 2 * path.deviation[i]! * this.unitAt(place) * this.scale);
      ctx.moveTo(x + radius, y);
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
    }
    ctx.fillStyle = styleColour("--geodesic");
    ctx.globalAlpha = 0.16;
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  /** A unit of distance in the picture: (1 - |z|^2)/2 in the Poincaré disc. */
  private unitAt([x, y]: [number, number]): number {
    if (this.disc) return (1 - x * x - y * y) / 2;
    return this.subject.info.scale[this.subject.info.factors.indexOf(this.factor)] ?? 1;
  }

  /** The arm in the plane at the time that is shown. */
  private drawArm(ctx: CanvasRenderingContext2D, arm: NonNullable<Decoded["arm"]>, node: number): void {
    const joints = Array.from({ length: arm.links }, (_, k): [number, number] => {
      const at = 3 * (node * arm.links + k);
      return this.toScreen([arm.positions[at]!, arm.positions[at + 1]!]);
    });
    ctx.beginPath();
    for (const joint of joints) ctx.lineTo(...joint);
    strokeHalo(ctx, styleColour("--arm"), styleColour("--panel"), 8);
    for (const joint of joints) {
      ctx.beginPath();
      ctx.arc(...joint, 5, 0, 2 * Math.PI);
      ctx.fillStyle = styleColour("--panel");
      ctx.fill();
      ctx.lineWidth = 2.5;
      ctx.strokeStyle = styleColour("--arm");
      ctx.stroke();
    }
  }

  /** Unit ball of the matrix at a point: axes are square roots of the eigenvalues. */
  private drawEllipse(ctx: CanvasRenderingContext2D, points: Float64Array, row: number, opacity: number): void {
    const at = row * this.subject.info.ambient + this.ellipses!.offset;
    const [a, b, d] = [points[at]!, points[at + 1]!, points[at + 3]!];
    const mean = (a + d) / 2;
    const root = Math.hypot((a - d) / 2, b);
    const size = this.ellipseSize();
    ctx.globalAlpha = opacity;
    ctx.beginPath();
    const [x, y] = this.toScreen(this.place(points, row));
    ctx.ellipse(x, y, size * Math.sqrt(mean + root), size * Math.sqrt(Math.max(0, mean - root)), -0.5 * Math.atan2(2 * b, a - d), 0, 2 * Math.PI);
    ctx.strokeStyle = styleColour("--geodesic");
    ctx.lineWidth = 1.4;
    ctx.stroke();
    ctx.globalAlpha = 1;
  }

  /** Pixels per unit of an ellipse's axis: the largest one is a tenth of the picture. */
  private ellipseSize(): number {
    let largest = 0;
    const { ambient } = this.subject.info;
    for (let i = 0; i < this.subject.info.points; i++) {
      const at = i * ambient + this.ellipses!.offset;
      largest = Math.max(largest, this.subject.points[at]! + this.subject.points[at + 3]!);
    }
    return (0.1 * Math.min(this.surface.width, this.surface.height)) / Math.sqrt(largest || 1);
  }

  private drawMarker(ctx: CanvasRenderingContext2D, points: Float64Array, row: number, colour: string): void {
    const [x, y] = this.toScreen(this.place(points, row));
    ctx.beginPath();
    ctx.arc(x, y, 6, 0, 2 * Math.PI);
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.strokeStyle = "#fff";
    ctx.lineWidth = 2;
    ctx.stroke();
    if (this.ellipses) this.drawEllipse(ctx, points, row, 1);
  }

  private drawDisc(ctx: CanvasRenderingContext2D): void {
    ctx.beginPath();
    ctx.arc(...this.toScreen([0, 0]), this.scale, 0, 2 * Math.PI);
    ctx.strokeStyle = styleColour("--soft");
    ctx.lineWidth = 1.5;
    ctx.stroke();
    ctx.strokeStyle = styleColour("--line");
    ctx.lineWidth = 1;
    for (const distance of [1, 2, 3]) {
      ctx.beginPath();
      ctx.arc(...this.toScreen([0, 0]), this.scale * Math.tanh(distance / 2), 0, 2 * Math.PI);
      ctx.stroke();
    }
  }

  private drawTicks(ctx: CanvasRenderingContext2D): void {
    const [x0, y1] = this.fromScreen(0, 0);
    const [x1, y0] = this.fromScreen(this.surface.width, this.surface.height);
    const names = this.subject.info.columns;
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = styleColour("--soft");
    ctx.strokeStyle = styleColour("--line");
    ctx.lineWidth = 1;
    ctx.textAlign = "center";
    for (const t of ticks(x0, x1, 6)) {
      const [x] = this.toScreen([t, 0]);
      line(ctx, x, 0, x, this.surface.height);
      if (x > 20 && x < this.surface.width - 44) ctx.fillText(tickText(t), x, this.surface.height - 6);
    }
    ctx.textAlign = "left";
    for (const t of ticks(y0, y1, 6)) {
      const [, y] = this.toScreen([0, t]);
      line(ctx, 0, y, this.surface.width, y);
      if (y > 34 && y < this.surface.height - 24) ctx.fillText(tickText(t), 6, y - 4);
    }
    ctx.fillText(`${names[this.factor.offset]} →`, this.surface.width - 28, this.surface.height - 6);
    ctx.fillText(`${names[this.factor.offset + 1]} ↑`, 6, 16);
  }

  private drawObstacles(ctx: CanvasRenderingContext2D): void {
    if (this.disc) return;
    for (const [k, { centre, radius }] of this.subject.store.state.obstacles.entries()) {
      ctx.beginPath();
      ctx.arc(...this.toScreen([centre[0]!, centre[1]!]), radius * this.scale, 0, 2 * Math.PI);
      ctx.fillStyle = styleColour("--obstacle");
      ctx.globalAlpha = 0.55;
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.strokeStyle = styleColour("--obstacle");
      ctx.lineWidth = k === this.selected ? 3 : 1.5;
      ctx.stroke();
    }
  }

  /** Delete removes the obstacle that was touched last. */
  key(e: KeyboardEvent): boolean {
    const { store } = this.subject;
    if ((e.key !== "Delete" && e.key !== "Backspace") || !store.state.obstacles[this.selected]) return false;
    store.update({ obstacles: store.state.obstacles.filter((_, k) => k !== this.selected) });
    this.selected = -1;
    return true;
  }

  // ---- obstacles by hand ----------------------------------------------------------------------

  private listen(): void {
    const c = this.surface.canvas;
    const { store } = this.subject;
    const find = (e: MouseEvent): number => {
      const [x, y] = this.fromScreen(e.offsetX, e.offsetY);
      return store.state.obstacles.findIndex((o) => Math.hypot(o.centre[0]! - x, o.centre[1]! - y) < OBSTACLE_GRAB * o.radius);
    };
    const change = (k: number, values: { centre?: number[]; radius?: number }): void =>
      store.update({ obstacles: store.state.obstacles.map((o, i) => (i === k ? { ...o, ...values } : o)) });
    c.addEventListener("pointerdown", (e) => {
      this.parent.focus();
      this.selected = find(e);
      this.surface.refresh();
      if (this.selected < 0) return;
      this.dragging = this.selected;
      c.setPointerCapture(e.pointerId);
      this.subject.drag(true);
    });
    c.addEventListener("pointermove", (e) => {
      c.style.cursor = this.dragging !== null || find(e) >= 0 ? "grab" : "default";
      if (this.dragging !== null) change(this.dragging, { centre: this.fromScreen(e.offsetX, e.offsetY) });
    });
    c.addEventListener("wheel", (e) => {
      const k = find(e);
      if (k < 0) return;
      e.preventDefault();
      change(k, { radius: store.state.obstacles[k]!.radius * Math.exp(-e.deltaY * 0.001) });
    }, { passive: false });
    const release = (): void => {
      if (this.dragging !== null) this.subject.drag(false);
      this.dragging = null;
    };
    c.addEventListener("pointerup", release);
    c.addEventListener("pointercancel", release);
  }
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
