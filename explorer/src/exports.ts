// What can be taken away: the path as CSV, pictures, and the commands that give the same path.
import type { ModelInfo, Path } from "./protocol";
import type { State } from "./state";

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function pathCsv(info: ModelInfo, path: Path): string {
  const Q = info.latentDim;
  const header = [...Array.from({ length: Q }, (_, q) => `z${q + 1}`), ...info.columns, "deviation"];
  const rows = Array.from({ length: path.nodes }, (_, i) =>
    [...path.latent.subarray(i * Q, (i + 1) * Q), ...path.points.subarray(i * info.ambient, (i + 1) * info.ambient), path.deviation[i]!].join(","),
  );
  return [header.join(","), ...rows].join("\n") + "\n";
}

const list = (p: number[]): string => p.map((x) => String(x)).join(",");
const shell = (text: string): string => (/^[\w./@:+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);

export function commandOf(info: ModelInfo, state: State): string {
  const words = ["riemann2 geodesic", shell(info.file), `--from ${shell(list(state.from))}`, `--to ${shell(list(state.to))}`];
  if (state.via.length) words.push(`--through '${state.via.map(list).join(";")}'`);
  for (const o of state.obstacles) words.push(`--keep-out 'sphere:${list(o.centre)},${o.radius}'`);
  words.push("-o path.csv");
  return words.join(" ");
}

export function pythonOf(info: ModelInfo, state: State): string {
  const array = (p: number[]): string => `[${p.join(", ")}]`;
  const extra = [
    ...(state.via.length ? [`via=[${state.via.map(array).join(", ")}]`] : []),
    ...(state.obstacles.length ? [`avoid=[${state.obstacles.map((o) => `rm2.Sphere((${o.centre.join(", ")}), ${o.radius})`).join(", ")}]`] : []),
  ];
  return `import riemann2 as rm2\nmodel = rm2.load(${JSON.stringify(info.file)})\npath = model.geodesic(${[array(state.from), array(state.to), ...extra].join(", ")})\n`;
}

export function savePng(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((blob) => blob && save(name, blob));
}

/** An SVG file that holds the picture. */
export function saveSvg(canvas: HTMLCanvasElement, name: string): void {
  const { clientWidth: w, clientHeight: h } = canvas;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"><image width="${w}" height="${h}" href="${canvas.toDataURL("image/png")}"/></svg>`;
  save(name, new Blob([svg], { type: "image/svg+xml" }));
}
