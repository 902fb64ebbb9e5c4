// The small plot of speed and uncertainty along the path.
import { styleColour } from "./colours";
import type { Path } from "./protocol";
import { Surface } from "./surface";

function curve(ctx: CanvasRenderingContext2D, values: Float64Array, width: number, height: number, colour: string, fill: boolean): void {
  const top = Math.max(...values) || 1;
  ctx.beginPath();
  values.forEach((v, i) => ctx.lineTo((i / (values.length - 1)) * width, height - 3 - (v / top) * (height - 20)));
  if (fill) {
    ctx.lineTo(width, height);
    ctx.lineTo(0, height);
    ctx.fillStyle = colour;
    ctx.globalAlpha = 0.2;
    ctx.fill();
    ctx.globalAlpha = 1;
    return;
  }
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.8;
  ctx.stroke();
}

export class Profile {
  private surface: Surface;
  private path: Path | null = null;
  private time = 0;

  constructor(parent: HTMLElement) {
    this.surface = new Surface(parent, (ctx) => this.draw(ctx));
  }

  show(path: Path | null, time: number): void {
    this.path = path;
    this.time = time;
    this.surface.refresh();
  }

  private draw(ctx: CanvasRenderingContext2D): void {
    const { width, height } = this.surface;
    if (!this.path) return;
    curve(ctx, this.path.deviation, width, height, styleColour("--geodesic"), true);
    curve(ctx, this.path.speed, width, height, styleColour("--ink"), false);
    ctx.fillStyle = styleColour("--ink");
    ctx.font = "11px system-ui";
    ctx.fillText("speed", 2, 11);
    ctx.fillStyle = styleColour("--geodesic");
    ctx.fillText("uncertainty", 42, 11);
    ctx.strokeStyle = styleColour("--soft");
    ctx.beginPath();
    ctx.moveTo(this.time * width, 14);
    ctx.lineTo(this.time * width, height);
    ctx.stroke();
  }
}
