// The part of a canvas's context that the views draw with, as an SVG file.

const number = (x: number): string => String(Math.round(x * 100) / 100);
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

interface Style {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  dash: number[];
  x: number; // of the translation
  y: number;
  clip: string;
}

export class SvgContext {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "11px sans-serif";
  textAlign = "left";
  lineJoin = "round";
  lineCap = "round";
  imageSmoothingQuality = "high";
  private dash: number[] = [];
  private x = 0;
  private y = 0;
  private clipping = "";
  private clips = 0;
  private kept: Style[] = [];
  private path = "";
  private parts: string[] = [];

  constructor(
    private width: number,
    private height: number,
  ) {}

  text(): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${this.parts.join("\n")}\n</svg>\n`;
  }

  // ---- state ---------------------------------------------------------------------------------

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, x, y } = this;
    this.kept.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, dash, x, y, clip: this.clipping });
  }
  restore(): void {
    const one = this.kept.pop();
    if (!one) return;
    const { clip, ...rest } = one;
    Object.assign(this, rest);
    this.clipping = clip;
  }
  translate(x: number, y: number): void {
    this.x += x;
    this.y += y;
  }
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }
  clip(): void {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`);
    this.clipping = ` clip-path="url(#${id})"`;
  }

  // ---- paths ---------------------------------------------------------------------------------

  private at(x: number, y: number): string {
    return `${number(x + this.x)} ${number(y + this.y)}`;
  }
  beginPath(): void {
    this.path = "";
  }
  closePath(): void {
    this.path += "Z";
  }
  moveTo(x: number, y: number): void {
    this.path += `M${this.at(x, y)}`;
  }
  lineTo(x: number, y: number): void {
    this.path += `${this.path ? "L" : "M"}${this.at(x, y)}`;
  }
  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    this.path += `Q${this.at(cx, cy)} ${this.at(x, y)}`;
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path += `M${this.at(x, y)}h${number(w)}v${number(h)}h${number(-w)}Z`;
  }
  roundRect(x: number, y: number, w: number, h: number): void {
    this.rect(x, y, w, h);
  }
  /** Whole circles and ellipses only. */
  arc(x: number, y: number, radius: number): void {
    this.ellipse(x, y, radius, radius, 0);
  }
  ellipse(x: number, y: number, rx: number, ry: number, rotation: number): void {
    const [dx, dy] = [rx * Math.cos(rotation), rx * Math.sin(rotation)];
    const half = (sign: number): string =>
      `A${number(rx)} ${number(ry)} ${number((rotation * 180) / Math.PI)} 0 1 ${this.at(x + sign * dx, y + sign * dy)}`;
    this.path += `M${this.at(x + dx, y + dy)}${half(-1)}${half(1)}Z`;
  }

  private paint(style: string): void {
    const opacity = this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : "";
    if (this.path) this.parts.push(`<path d="${this.path}" ${style}${opacity}${this.clipping}/>`);
  }
  fill(): void {
    this.paint(`fill="${escape(this.fillStyle)}"`);
  }
  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    const ends = `stroke-linejoin="round" stroke-linecap="round"`;
    this.paint(`fill="none" stroke="${escape(this.strokeStyle)}" stroke-width="${number(this.lineWidth)}" ${ends}${dash}`);
  }
  fillRect(x: number, y: number, w: number, h: number): void {
    const path = this.path;
    this.path = "";
    this.rect(x, y, w, h);
    this.fill();
    this.path = path;
  }

  // ---- texts and pictures --------------------------------------------------------------------

  private write(text: string, x: number, y: number, style: string): void {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const size = parseFloat(this.font) || 11;
    this.parts.push(
      `<text x="${number(x + this.x)}" y="${number(y + this.y)}" font-family="sans-serif" font-size="${size}" text-anchor="${anchor}" ${style}>${escape(text)}</text>`,
    );
  }
  fillText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="${escape(this.fillStyle)}"`);
  }
  strokeText(text: string, x: number, y: number): void {
    this.write(text, x, y, `fill="none" stroke="${escape(this.strokeStyle)}" stroke-width="${this.lineWidth}" stroke-linejoin="round"`);
  }
  measureText(text: string): { width: number } {
    return { width: 0.55 * (parseFloat(this.font) || 11) * text.length };
  }
  drawImage(image: HTMLCanvasElement, x: number, y: number, w: number, h: number): void {
    const place = `x="${number(x + this.x)}" y="${number(y + this.y)}" width="${number(w)}" height="${number(h)}"`;
    const opacity = this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : "";
    this.parts.push(`<image ${place} preserveAspectRatio="none"${opacity} href="${image.toDataURL("image/png")}"/>`);
  }
}
