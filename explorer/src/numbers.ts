// Numbers of a path.
import { $ } from "./controls";
import type { Path } from "./protocol";

const OUTSIDE = 8; // RM2_PATH_OUTSIDE

interface Fact {
  name: string;
  value: number;
  text: string;
  title: string;
  bad?: boolean;
}

function factsOf(path: Path, final: boolean): Fact[] {
  const deviation = Math.max(...path.deviation);
  const fact = (name: string, value: number, text: string, title: string, bad = false): Fact => ({ name, value, text, title, bad });
  const facts = [fact("length", path.length, path.length.toPrecision(4), "Length of the path in the metric of the model")];
  if (Number.isFinite(path.straightLength))
    facts.push(fact("straight line", path.straightLength, path.straightLength.toPrecision(4), "Length of the straight line in the same metric"));
  facts.push(fact("energy", path.energy, path.energy.toPrecision(4), "Integral of the squared speed"));
  if (final) facts.push(fact("error", path.error, path.error.toExponential(0), path.converged ? "Estimated relative error" : "Did not converge", !path.converged));
  facts.push(fact("uncertainty", deviation, deviation.toPrecision(3), "Largest standard deviation along the path"));
  if (Number.isFinite(path.overSpread))
    facts.push(
      fact("distance to data", path.overSpread, `${path.overSpread.toPrecision(2)} ×`,
        "Largest distance from the nearest demonstration, in multiples of the demonstrations' own spread; red: the path leaves the data",
        (path.reasons & OUTSIDE) !== 0),
    );
  if (Number.isFinite(path.clearance))
    facts.push(fact("clearance", path.clearance, path.clearance.toPrecision(3), "Least distance to an obstacle; negative: no way around it", path.clearance < 0));
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
export function showNumbers(path: Path, final: boolean): void {
  const list = $("facts-path");
  list.classList.toggle("rough", !final);
  const shown = factsOf(path, final).map((fact) => {
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
