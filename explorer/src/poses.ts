// The dialog of poses: what start, end and points to pass must be, typed or taken from the map.
import { $, button } from "./controls";
import { type ModelInfo, fetchDecoded, fetchEncoded } from "./protocol";
import { type Pose, type Store, stopsOf } from "./state";

const DIGITS = 7; // of a point that is taken from the map
const MIDDLE = 0.5; // where a new pose is put among the nodes of the path, until its motion is there

/** Numbers, with "free" in all places of a factor that may be anything; a text if that is not what it says. */
export function parsePose(text: string, info: ModelInfo): Pose | null | string {
  const words = text.trim().split(/[\s,;]+/).filter((w) => w !== "");
  if (words.length === 0) return null;
  const bad = words.find((w) => w !== "free" && !Number.isFinite(Number(w)));
  if (bad !== undefined) return `"${bad}" is not a number`;
  if (words.length !== info.ambient) return `expected ${info.ambient} numbers (${info.columns.slice(0, 8).join(", ")}${info.ambient > 8 ? ", …" : ""}), got ${words.length}`;
  return words.map((w) => (w === "free" ? null : Number(w)));
}

const poseText = (pose: Pose | null): string => (pose ? pose.map((x) => x ?? "free").join(", ") : "");

interface Row {
  latent: number[] | null; // null: a pose that is added
  input: HTMLInputElement;
  name: string;
}

export class PoseDialog {
  private dialog = $<HTMLDialogElement>("pose-dialog");
  private list = $("pose-rows");
  private error = $("pose-error");
  private ends = $<HTMLSelectElement>("pose-ends");
  private rows: Row[] = [];

  constructor(
    private info: ModelInfo,
    private store: Store,
    private nodeOf: (part: number) => number[],
  ) {
    $("pose-columns").textContent = info.columns.slice(0, 12).join(", ") + (info.ambient > 12 ? ", …" : "");
    $("pose-add").onclick = () => this.add(null, null);
    $("pose-clear").onclick = () => this.rows.forEach((row) => (row.input.value = ""));
    $<HTMLFormElement>("pose-form").onsubmit = (e) => {
      e.preventDefault();
      void this.apply().catch((error: unknown) => (this.error.textContent = error instanceof Error ? error.message : String(error)));
    };
    $("pose-cancel").onclick = () => this.dialog.close();
  }

  open(): void {
    const { state } = this.store;
    this.rows = [];
    this.list.replaceChildren();
    this.error.textContent = "";
    this.ends.value = state.ends;
    stopsOf(state).forEach((latent, k) => this.add(latent, state.poses[k] ?? null));
    this.dialog.showModal();
    this.rows.forEach((row) => row.input.setSelectionRange(0, 0));
  }

  /** A row; one that is added stands before the end. */
  private add(latent: number[] | null, pose: Pose | null): void {
    const line = document.createElement("div");
    const label = document.createElement("label");
    const name = document.createElement("span");
    const input = document.createElement("input");
    label.append(name, input);
    line.append(label);
    input.value = poseText(pose);
    input.placeholder = latent ? "where it is on the map" : "";
    const row = { latent, input, name: "" };
    if (latent) button(line, "From map", "Take the point that the handle decodes to", () => void this.fill(row)).type = "button";
    if (latent) {
      this.rows.push(row);
      this.list.append(line);
    } else {
      this.rows.splice(this.rows.length - 1, 0, row);
      this.list.insertBefore(line, this.list.lastElementChild);
      input.focus();
    }
    this.rows.forEach((one, k) => (one.name = k === 0 ? "Start" : k === this.rows.length - 1 ? "End" : `Pass ${k}`));
    Array.from(this.list.querySelectorAll("span")).forEach((one, k) => (one.textContent = this.rows[k]!.name));
  }

  private async fill(row: Row): Promise<void> {
    try {
      const { points } = await fetchDecoded(new Float64Array(row.latent!), this.info, "pose");
      row.input.value = poseText(Array.from(points, (x) => Number(x.toPrecision(DIGITS))));
    } catch (error) {
      this.error.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Rows with their poses; those that were added and left empty are gone. */
  private read(): { latent: number[]; pose: Pose | null }[] | null {
    const out: { latent: number[]; pose: Pose | null }[] = [];
    for (const { latent, input, name } of this.rows) {
      const pose = parsePose(input.value, this.info);
      if (typeof pose === "string") {
        this.error.textContent = `${name}: ${pose}`;
        input.focus();
        return null;
      }
      if (latent || pose) out.push({ latent: latent ?? this.nodeOf(MIDDLE), pose });
    }
    return out;
  }

  private async apply(): Promise<void> {
    const stops = this.read();
    if (!stops) return;
    const ends = this.ends.value === "encoded" ? "encoded" : "meet";
    if (ends === "encoded") await this.encode(stops);
    const [first, last] = [stops[0]!, stops[stops.length - 1]!];
    this.dialog.close();
    this.store.update({ ends, from: first.latent, to: last.latent, via: stops.slice(1, -1).map((s) => s.latent), poses: stops.map((s) => s.pose) });
  }

  /** The old behaviour: handles with poses go to the encodings of these. */
  private async encode(stops: { latent: number[]; pose: Pose | null }[]): Promise<void> {
    const posed = stops.filter((s) => s.pose);
    if (posed.length === 0) return;
    if (posed.some((s) => s.pose!.includes(null))) throw new Error("a pose with free entries cannot be encoded; choose to meet it");
    const rows = [this.info.columns.join(","), ...posed.map((s) => s.pose!.join(","))];
    const latents = await fetchEncoded(`${rows.join("\n")}\n`);
    const Q = this.info.latentDim;
    posed.forEach((s, k) => (s.latent = Array.from(latents.subarray(k * Q, (k + 1) * Q))));
  }
}
