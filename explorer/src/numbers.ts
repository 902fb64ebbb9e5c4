// Numbers of a path.
import { $ } from "./controls";
import type { Factor, Met, ModelInfo, Path } from "./protocol";

const BLOCKED = 1; // RM2_PATH_BLOCKED
const OUTSIDE = 8; // RM2_PATH_OUTSIDE
const INCOMPLETE = 16; // RM2_PATH_INCOMPLETE
const EXACT = 1e-9; // the server fails where a pose is missed by more

const isRotation = (f: Factor): boolean => f.name === "SO" || (f.name === "S" && f.n === 3);

/** "0.021, 4.1°": in the units of the data, orientations in degrees. */
export const correctionText = (met: Met, info: ModelInfo): string =>
  info.factors.map((f, k) => (isRotation(f) ? `${((met.largest[k]! * 180) / Math.PI).toPrecision(2)}°` : met.largest[k]!.toPrecision(2))).join(", ");

interface Fact {
  name: string;
  value: number;
  text: string;
  title: string;
  bad?: boolean;
}

function factsOf(path: Path, final: boolean, info: ModelInfo): Fact[] {
  const deviation = Math.max(...path.deviation);
  const fact = (name: string, value: number, text: string, title: string, bad = false): Fact => ({ name, value, text, title, bad });
  const facts: Fact[] = [];
  if (path.met) {
    const { met } = path;
    const missed = Math.max(0, ...Array.from(met.errors).filter(Number.isFinite));
    facts.push(
      fact("poses", missed, missed <= EXACT ? `${met.nodes.length} met` : `off by ${missed.toPrecision(2)}`,
        `Start, end and points to pass that the motion meets exactly; largest distance from them: ${missed.toExponential(0)}`, missed > EXACT),
      fact("correction", Math.max(...met.largest), correctionText(met, info), `Largest correction of the geodesic, per factor: ${info.factors.map((f) => `${f.name}${f.n}`).join(", ")}`),
      fact("stretch", met.stretch, met.stretch.toPrecision(2),
        `How far the poses are from what the demonstrations show; 1: as far as these are from each other; limit ${met.stretchLimit}`, met.stretch > met.stretchLimit),
    );
  }
  facts.push(fact("length", path.length, path.length.toPrecision(4), `Length of the ${path.met ? "route" : "path"} in the metric of the model`));
  if (Number.isFinite(path.straightLength))
    facts.push(fact("straight line", path.straightLength, path.straightLength.toPrecision(4), "Length of the straight line in the same metric"));
  if (!path.met) facts.push(fact("energy", path.energy, path.energy.toPrecision(4), "Integral of the squared speed"));
  if (final) facts.push(fact("error", path.error, path.error.toExponential(0), path.converged ? "Estimated relative error" : "Did not converge", !path.converged));
  facts.push(fact("uncertainty", deviation, deviation.toPrecision(3), "Largest standard deviation along the path"));
  if (Number.isFinite(path.overSpread))
    facts.push(
      fact("distance to data", path.overSpread, `${path.overSpread.toPrecision(2)} ×`,
        "Largest distance from the nearest demonstration, in multiples of the demonstrations' own spread; red: the path leaves the data",
        (path.reasons & OUTSIDE) !== 0),
    );
  if ((path.reasons & INCOMPLETE) !== 0)
    facts.push(fact("left out", 1, "a part of the motion", "The demonstrations go farther away between the ends than the path does", true));
  const turning = path.turning.filter(Number.isFinite);
  if (turning.length > 0)
    facts.push(
      fact("turning", turning[0]!, turning.map((ratio) => `${ratio.toPrecision(2)} ×`).join(", "),
        "Sum of the angles that the decoded path turns by, in multiples of the demonstrations' turning: of the positions, then of the rest; above 1: jerkier"),
    );
  if (Number.isFinite(path.clearance))
    facts.push(fact("clearance", path.clearance, path.clearance.toPrecision(3), "Least distance to an obstacle; red: no way around it", path.clearance < 0 || (path.reasons & BLOCKED) !== 0));
  return facts;
}

function boxOf(name: string): HTMLElement {
  const box = document.createElement("div");
  const dd = document.createElement("dd");
  box.append(document.createElement("dt"), dd);
  box.firstElementChild!.textContent = name;
  dd.id = `fact-${name.replace(/ /g, "-")}`;
  return box;
}

const boxes = new Map<string, HTMLElement>();

/** While a handle moves only the digits change, and the browser has little to lay out. */
export function showNumbers(path: Path, final: boolean, info: ModelInfo): void {
  const list = $("facts-path");
  list.classList.toggle("rough", !final);
  const shown = factsOf(path, final, info).map((fact) => {
    const box = boxes.get(fact.name) ?? boxOf(fact.name);
    const dd = box.lastElementChild as HTMLElement;
    boxes.set(fact.name, box);
    if (box.title !== fact.title) box.title = fact.title;
    if (dd.textContent !== fact.text) dd.textContent = fact.text;
    dd.dataset.value = String(fact.value);
    dd.classList.toggle("bad", !!fact.bad);
    return box;
  });
  if (shown.length !== list.childElementCount || shown.some((box, k) => box !== list.children[k])) list.replaceChildren(...shown);
}
