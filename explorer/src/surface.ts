// A canvas that fills its element, in CSS pixels, and asks to be drawn when its size changes.
import { atFrame } from "./frames";

type Draw = (ctx: CanvasRenderingContext2D) => void;

export class Surface {
  readonly canvas = document.createElement("canvas");
  readonly ctx = this.canvas.getContext("2d")!;
  width = 1;
  height = 1;
  private still: HTMLCanvasElement | null = null; // picture of what does not move
  private observer: ResizeObserver;

  constructor(
    parent: HTMLElement,
    private draw: Draw,
    private resized: () => void = () => {},
    private drawStill: Draw | null = null,
  ) {
    parent.append(this.canvas);
    this.observer = new ResizeObserver(() => this.resize(parent));
    this.observer.observe(parent);
    this.resize(parent);
  }

  destroy(): void {
    this.observer.disconnect();
    this.canvas.remove();
  }

  private resize(parent: HTMLElement): void {
    const scale = devicePixelRatio;
    const [width, height] = [Math.round(parent.clientWidth * scale) || 1, Math.round(parent.clientHeight * scale) || 1];
    if (width === this.canvas.width && height === this.canvas.height) return;
    this.width = Math.max(1, parent.clientWidth);
    this.height = Math.max(1, parent.clientHeight);
    this.canvas.width = width;
    this.canvas.height = height;
    this.still = null;
    this.resized();
    this.refresh();
  }

  /** Draw at the next frame. */
  refresh(): void {
    atFrame(this.redraw);
  }

  private redraw = (): void => {
    this.scaled(this.ctx);
    this.ctx.clearRect(0, 0, this.width, this.height);
    if (this.drawStill) this.ctx.drawImage((this.still ??= this.keepStill(this.drawStill)), 0, 0, this.width, this.height);
    this.draw(this.ctx);
  };

  private scaled(ctx: CanvasRenderingContext2D): void {
    ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  }

  private keepStill(draw: Draw): HTMLCanvasElement {
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [this.canvas.width, this.canvas.height];
    const ctx = picture.getContext("2d")!;
    this.scaled(ctx);
    draw(ctx);
    return picture;
  }

  /** The same drawing on another context. */
  drawOn(ctx: CanvasRenderingContext2D): void {
    this.drawStill?.(ctx);
    this.draw(ctx);
  }
}

/** A line with a halo, visible on every background. */
export function strokeHalo(ctx: CanvasRenderingContext2D, colour: string, halo: string, width: number, dash: number[] = []): void {
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.setLineDash([]);
  ctx.strokeStyle = halo;
  ctx.lineWidth = width + 3;
  ctx.stroke();
  ctx.setLineDash(dash);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
  ctx.setLineDash([]);
}

/** Round numbers between two values, about `count` of them. */
export function ticks(from: number, to: number, count: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => span / s <= count) ?? 10 * power;
  const result = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) result.push(k * step);
  return result;
}

export const tickText = (value: number): string => {
  const text = Math.abs(value) < 1e-12 ? "0" : Math.abs(value) >= 1e4 || Math.abs(value) < 1e-3 ? value.toExponential(1) : String(+value.toPrecision(4));
  return text.replace("-", "−");
};
