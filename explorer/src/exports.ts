// What can be taken away: the path as CSV, pictures, and the commands that give the same path.
import type { ModelInfo, Path } from "./protocol";
import { type Pose, type State, isMotion, stopsOf } from "./state";
import { SvgContext } from "./svg";

export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function pathCsv(info: ModelInfo, path: Path): string {
  const Q = info.latentDim;
  const header = ["t", ...Array.from({ length: Q }, (_, q) => `z${q + 1}`), ...info.columns, "deviation", ...(path.met ? ["correction"] : [])];
  const rows = Array.from({ length: path.nodes }, (_, i) =>
    [
      i / (path.nodes - 1),
      ...path.latent.subarray(i * Q, (i + 1) * Q),
      ...path.points.subarray(i * info.ambient, (i + 1) * info.ambient),
      path.deviation[i]!,
      ...(path.met ? [path.met.correction[i]!] : []),
    ].join(","),
  );
  return [header.join(","), ...rows].join("\n") + "\n";
}

// ---- commands ----------------------------------------------------------------------------------

const CONTRAST = 100; // the default

const list = (p: number[]): string => p.join(",");
const quoted = (text: string): string => (/^[\w./@:+-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);

export function commandOf(info: ModelInfo, state: State): string {
  const text = (latent: number[], k: number): string => {
    const pose = isMotion(state) ? state.poses[k] : null;
    return pose ? `point:${pose.map((x) => x ?? "free").join(",")}` : `latent:${list(latent)}`;
  };
  const stops = stopsOf(state).map(text);
  const words = ["riemann2 geodesic", quoted(info.file), `--from=${stops[0]}`, `--to=${stops[stops.length - 1]}`];
  if (state.via.length) words.push(`--through='${stops.slice(1, -1).join(";")}'`);
  if (state.obstacles.length) words.push(`--avoid='${state.obstacles.map((o) => `sphere,${list([...o.centre, o.radius])}`).join(";")}'`);
  if (info.contrast !== CONTRAST) words.push(`--contrast ${info.contrast || "none"}`);
  words.push("-o path.csv");
  return words.join(" ");
}

export function pythonOf(info: ModelInfo, state: State): string {
  const array = (p: Pose): string => `[${p.map((x) => x ?? 'float("nan")').join(", ")}]`;
  const spheres = state.obstacles.map((o) => `rm2.Sphere(${array(o.centre)}, ${o.radius})`);
  const stops = stopsOf(state);
  const words: string[] = [];
  if (isMotion(state)) {
    const asked = stops.map((latent, k) => (state.poses[k] ? array(state.poses[k]) : `rm2.Pose(latent=${array(latent)})`));
    words.push(`start_pose=${asked[0]}`, `goal_pose=${asked[asked.length - 1]}`);
    if (state.via.length) words.push(`via_poses=[${asked.slice(1, -1).join(", ")}]`);
  } else {
    words.push(array(state.from), array(state.to));
    if (state.via.length) words.push(`via=[${state.via.map(array).join(", ")}]`);
  }
  if (spheres.length) words.push(`obstacles=[${spheres.join(", ")}]`);
  if (info.contrast !== CONTRAST) words.push(`contrast=${info.contrast}`);
  return `import riemann2 as rm2\nmodel = rm2.load(${JSON.stringify(info.file)})\npath = model.geodesic(${words.join(", ")})\n`;
}

// ---- pictures ----------------------------------------------------------------------------------

interface Picture {
  readonly canvas: HTMLCanvasElement;
  /** Draw it on another context; false: it is drawn in space, and only its canvas has it. */
  drawOn(ctx: CanvasRenderingContext2D): boolean;
}

export function savePictures(picture: Picture, name: string, format: "PNG" | "SVG"): void {
  if (format === "PNG") picture.canvas.toBlob((blob) => blob && save(`${name}.png`, blob));
  else save(`${name}.svg`, new Blob([svgOf(picture)], { type: "image/svg+xml" }));
}

function svgOf(picture: Picture): string {
  const { clientWidth, clientHeight } = picture.canvas;
  const svg = new SvgContext(clientWidth, clientHeight);
  if (!picture.drawOn(svg as unknown as CanvasRenderingContext2D)) svg.drawImage(picture.canvas, 0, 0, clientWidth, clientHeight);
  return svg.text();
}
