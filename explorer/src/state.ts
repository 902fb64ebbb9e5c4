// What the page shows, in one object; kept in the address, so that a reload or a copied link shows the same.
import { atFrame } from "./frames";
import type { ModelInfo, Obstacle } from "./protocol";

export type MapColour = "magnification" | "deviation";
export type PointColour = "trajectory" | "label" | "order";

/** A point of the manifold that a handle stands for; null where it may be anything. */
export type Pose = (number | null)[];

export interface State {
  from: number[];
  to: number[];
  via: number[][];
  poses: (Pose | null)[]; // of start, points to pass and end; null: the decoded latent point
  ends: "meet" | "encoded"; // the motion meets the poses, or runs between their encodings
  obstacles: Obstacle[];
  axes: number[]; // latent dimensions on the map
  mapColour: MapColour;
  pointColour: PointColour;
  straight: boolean;
  samples: boolean;
  view: string; // name of the decoded view
  time: number; // 0..1 along the path
}

/** Latent points of the handles: start, points to pass, end. */
export const stopsOf = ({ from, via, to }: State): number[][] => [from, ...via, to];

/** Must the path meet a pose? */
export const isMotion = (state: State): boolean => state.ends === "meet" && state.poses.some((pose) => pose !== null);

export type Listener = (state: State, changed: Set<keyof State>) => void;

export class Store {
  private listeners: Listener[] = [];
  private pending = new Set<keyof State>();
  constructor(public state: State) {}

  /** Returns the function that ends it. */
  subscribe(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => (this.listeners = this.listeners.filter((one) => one !== listener));
  }

  /** Change some members; listeners run once per frame. A handle that moves on the map loses its pose. */
  update(change: Partial<State>): void {
    const before = stopsOf(this.state);
    const { poses } = this.state;
    Object.assign(this.state, change);
    if (!change.poses) this.state.poses = stopsOf(this.state).map((stop) => poses[before.indexOf(stop)] ?? null);
    if (this.state.poses.filter(Boolean).length !== poses.filter(Boolean).length) this.pending.add("poses");
    for (const key of Object.keys(change) as (keyof State)[]) this.pending.add(key);
    atFrame(this.inform);
  }

  /** Handles that have poses go to where the path passes these; it is not asked for again. */
  place(latents: number[][]): void {
    const stops = stopsOf(this.state).map((stop, k) => (this.state.poses[k] ? latents[k]! : stop));
    Object.assign(this.state, { from: stops[0], via: stops.slice(1, -1), to: stops[stops.length - 1] });
  }

  private inform = (): void => {
    const changed = this.pending;
    this.pending = new Set();
    for (const listener of this.listeners) listener(this.state, changed);
  };
}

const ofLength = (value: unknown, n: number): value is number[] =>
  Array.isArray(value) && value.length === n && value.every((x) => typeof x === "number" && Number.isFinite(x));

const isPose = (value: unknown, n: number): value is Pose =>
  Array.isArray(value) && value.length === n && value.every((x) => x === null || (typeof x === "number" && Number.isFinite(x)));

/** One axis of a line; two or three different ones of a larger space. */
const fitAxes = (value: unknown, Q: number): value is number[] =>
  Array.isArray(value) &&
  (Q === 1 ? value.length === 1 : value.length === 2 || (Q > 2 && value.length === 3)) &&
  value.every((a) => Number.isInteger(a) && a >= 0 && a < Q) &&
  new Set(value).size === value.length;

/** The state that the address holds, with defaults for what is missing or does not fit the model. */
export function readState(info: ModelInfo, latents: Float64Array, hash: string): State {
  const Q = info.latentDim;
  const row = (i: number) => Array.from(latents.subarray(i * Q, (i + 1) * Q));
  const last = info.trajectories.length ? info.trajectories[info.trajectories.length - 1]! : null;
  const state: State = {
    from: row(0),
    to: row(last ? last.start + last.count - 1 : info.points - 1),
    via: [],
    poses: [null, null],
    ends: "meet",
    obstacles: [],
    axes: Q === 1 ? [0] : Q === 3 ? [0, 1, 2] : [0, 1],
    mapColour: "magnification",
    pointColour: info.labelNames.length ? "label" : info.trajectories.length ? "trajectory" : "order",
    straight: false,
    samples: false,
    view: "",
    time: 0,
  };
  let stored: Partial<Record<keyof State, unknown>> = {};
  try {
    stored = JSON.parse(decodeURIComponent(hash.replace(/^#/, "")) || "{}") as typeof stored;
  } catch {
    return state;
  }
  if (ofLength(stored.from, Q)) state.from = stored.from;
  if (ofLength(stored.to, Q)) state.to = stored.to;
  if (Array.isArray(stored.via)) state.via = stored.via.filter((p): p is number[] => ofLength(p, Q));
  state.poses = stopsOf(state).map(() => null);
  if (info.poses && Array.isArray(stored.poses) && stored.poses.length === state.poses.length)
    state.poses = stored.poses.map((p: unknown) => (isPose(p, info.ambient) ? p : null));
  if (stored.ends === "encoded") state.ends = "encoded";
  if (Array.isArray(stored.obstacles) && info.obstacles)
    state.obstacles = stored.obstacles.filter(
      (o): o is Obstacle =>
        typeof o === "object" && o !== null && ofLength(o.centre, info.factors.find((f) => f.name === "R")?.n ?? 0) && Number.isFinite(o.radius) && o.radius > 0,
    );
  if (fitAxes(stored.axes, Q)) state.axes = stored.axes;
  if (stored.mapColour === "deviation") state.mapColour = "deviation";
  if (stored.pointColour === "order" || (stored.pointColour === "trajectory" && info.trajectories.length)) state.pointColour = stored.pointColour;
  if (typeof stored.straight === "boolean") state.straight = stored.straight;
  if (typeof stored.samples === "boolean") state.samples = stored.samples;
  if (typeof stored.view === "string") state.view = stored.view;
  if (typeof stored.time === "number" && stored.time >= 0 && stored.time <= 1) state.time = stored.time;
  return state;
}

export function writeState(state: State): string {
  return "#" + encodeURIComponent(JSON.stringify(state));
}
