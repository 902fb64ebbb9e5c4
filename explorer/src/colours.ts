// Colours: the palette and the sequential map of the figures (paths in OKLab, equal steps look equally different).

/** Colours of groups, as rm2_palette of the figures has them (tests/source/colours). */
export const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#734339", "#f0e442"];

export const groupColour = (i: number): string => palette[i % palette.length]!;

const darkScheme = matchMedia("(prefers-color-scheme: dark)");
export const isDark = (): boolean => darkScheme.matches;

const read = new Map<string, string>(); // colours of the style sheet: to ask for one makes the browser settle all styles
darkScheme.addEventListener("change", () => read.clear());

/** A colour of the style sheet, such as "--geodesic". */
export function styleColour(name: string): string {
  const kept = read.get(name);
  if (kept !== undefined) return kept;
  const found = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  read.set(name, found);
  return found;
}

const byte = (linear: number): number => {
  const x = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * Math.pow(x, 1 / 2.4) - 0.055));
};

function fromOklab(L: number, C: number, h: number): [number, number, number] {
  const a = C * Math.cos(h);
  const b = C * Math.sin(h);
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    byte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/* C(t) = 0.09 + 0.2 (t - 0.42)^2; the hue takes what is left of a constant speed in chroma and hue. */
const chroma = (t: number): number => 0.09 + 0.2 * (t - 0.42) ** 2;
const hueSpeed = (t: number): number => Math.sqrt(0.3849 ** 2 - (0.4 * (t - 0.42)) ** 2) / chroma(t);

function sequential(t: number): [number, number, number] {
  let sum = hueSpeed(0) + hueSpeed(t);
  for (let i = 1; i < 16; i++) sum += (i % 2 ? 4 : 2) * hueSpeed((t * i) / 16);
  return fromOklab(0.25 + 0.67 * t, chroma(t), (305 * Math.PI) / 180 - (sum * t) / 48);
}

function diverging(t: number): [number, number, number] {
  const away = Math.abs(2 * t - 1);
  return fromOklab(0.98 - 0.5 * away, 0.145 * away, ((t < 0.5 ? 255 : 40) * Math.PI) / 180);
}

const table = (map: (t: number) => [number, number, number]) => Array.from({ length: 256 }, (_, i) => map(i / 255));
const tables = { sequential: table(sequential), diverging: table(diverging) };

export function mapColour(map: keyof typeof tables, t: number): [number, number, number] {
  if (Number.isNaN(t)) return [128, 128, 128];
  return tables[map][Math.round(255 * Math.min(1, Math.max(0, t)))]!;
}

/** A colour "#rrggbb" of the style sheet as numbers. */
export type Rgb = [number, number, number];

export function styleRgb(name: string): Rgb {
  const hex = styleColour(name);
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)) as [number, number, number];
}

/** The sequential map, faded towards the panel's colour where it is brightest, far from the data. */
export function heatColour(t: number, panel: [number, number, number]): [number, number, number] {
  const colour = mapColour("sequential", t);
  const dark = panel[0] + panel[1] + panel[2] < 384;
  const fade = (dark ? 0.88 : 0.62) * Math.min(1, Math.max(0, (t - 0.55) / 0.45)) ** 1.5;
  return colour.map((c, k) => Math.round(c + fade * (panel[k]! - c))) as [number, number, number];
}

export const css = ([r, g, b]: [number, number, number], opacity = 1): string => `rgb(${r} ${g} ${b} / ${opacity})`;
