// The small plot of speed and uncertainty along the path.
import { styleColour } from "./colours";
import type { Path } from "./protocol";

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

export function drawProfile(canvas: HTMLCanvasElement, path: Path | null, time: number): void {
  const scale = devicePixelRatio;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.clearRect(0, 0, width, height);
  if (!path) return;
  curve(ctx, path.deviation, width, height, styleColour("--geodesic"), true);
  curve(ctx, path.speed, width, height, styleColour("--ink"), false);
  ctx.fillStyle = styleColour("--ink");
  ctx.font = "11px system-ui";
  ctx.fillText("speed", 2, 11);
  ctx.fillStyle = styleColour("--geodesic");
  ctx.fillText("uncertainty", 42, 11);
  ctx.strokeStyle = styleColour("--soft");
  ctx.beginPath();
  ctx.moveTo(time * width, 14);
  ctx.lineTo(time * width, height);
  ctx.stroke();
}
