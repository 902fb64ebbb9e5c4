// Which views a manifold has, the most telling one first.
import { loadSpace, space } from "../load";
import type { Factor, ModelInfo } from "../protocol";
import { MatrixView } from "./matrix";
import { PlaneView } from "./plane";
import { SeriesView } from "./series";
import type { SpaceParts } from "./space";
import { type Subject, type ViewKind, factorText } from "./view";

export function viewsOf(info: ModelInfo): ViewKind[] {
  const find = (name: string, n: number): Factor | null => info.factors.find((f) => f.name === name && f.n === n) ?? null;
  const orientation = find("S", 3) ?? find("SO", 3);
  const [r2, r3, s2, h2, spd2, spd3] = [find("R", 2), find("R", 3), find("S", 2), find("H", 2), find("SPD", 2), find("SPD", 3)];
  const kinds: ViewKind[] = [];
  const add = (name: string, title: string, make: (parent: HTMLElement, s: Subject) => ReturnType<ViewKind["make"]>): void => {
    kinds.push({ name, title, make });
  };
  const addSpace = (name: string, title: string, parts: SpaceParts): void => {
    kinds.push({ name, title, load: loadSpace, make: (p, s) => new (space().SpaceView)(p, s, parts) });
  };
  if (r3) addSpace("space", orientation ? "Poses" : spd3 ? "Ellipsoids" : "Space", { position: r3, orientation, ellipsoid: spd3 });
  if (r2) add("plane", spd2 ? "Ellipses" : "Plane", (p, s) => new PlaneView(p, s, r2, spd2, false));
  if (s2) addSpace("sphere", "Sphere", { position: s2, orientation: null, ellipsoid: null });
  if (h2) add("disc", "Disc", (p, s) => new PlaneView(p, s, h2, null, true));
  if (orientation && !r3) addSpace("frame", "Orientation", { position: null, orientation, ellipsoid: null });
  if (spd3 && !r3) addSpace("ellipsoid", "Ellipsoid", { position: null, orientation: null, ellipsoid: spd3 });
  for (const f of info.factors.filter((one) => one.name.startsWith("SPD") && one.n > 2))
    add(`matrix${f.offset}`, `Matrix ${factorText(f)}`, (p, s) => new MatrixView(p, s, f));
  add("series", "Along the path", (p, s) => new SeriesView(p, s));
  return kinds;
}
