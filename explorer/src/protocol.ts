// Requests to the server. Addresses are relative to the page, whose own address carries the token. Numbers travel
// as little-endian float64 in both directions; only the description of the model is JSON.

import type { Pose } from "./state";

export interface Factor {
  name: string; // "R", "S", "SO", "SPD", "H"
  n: number;
  dim: number;
  ambient: number;
  offset: number; // first entry of this factor in a point
}

export interface Trajectory {
  id: string;
  start: number;
  count: number;
}

export interface ModelInfo {
  file: string;
  version: string;
  manifold: string;
  factors: Factor[];
  columns: string[]; // names of the entries of a point
  latentDim: number;
  points: number;
  ambient: number;
  trajectories: Trajectory[];
  labelNames: string[];
  labels: number[]; // per point, index into labelNames; empty without labels
  scale: number[]; // per factor, units of Euclidean factors
  box: [number, number][]; // per latent dimension, region that the roadmap covers
  arm: string | null;
  poses: boolean; // paths can meet poses
  obstacles: boolean; // the first Euclidean factor can hold obstacles
  contrast: number; // of the metric; 0: none
}

export interface Obstacle {
  centre: number[];
  radius: number;
}

/** A path of the latent space and what it decodes to. */
export interface Path {
  nodes: number;
  latent: Float64Array; // nodes x latentDim
  points: Float64Array; // nodes x ambient
  deviation: Float64Array; // nodes
  speed: Float64Array; // nodes: distance of the decoded point per unit of time, 0..1
  length: number;
  energy: number;
  error: number;
  converged: boolean;
  straightLength: number; // NaN before the last stage, as the next
  overSpread: number; // largest distance from the nearest demonstration, in spreads of the demonstrations
  clearance: number; // least distance to an obstacle; infinite without
  seconds: number;
  reasons: number; // not to rely on it: bits of rm2_path_reason
  turning: [number, number]; // over that of the demonstrations: of the positions, of the rest; NaN where unknown
  met: Met | null; // of a motion that meets poses; its lengths are those of its route
}

/** How a motion meets its poses. */
export interface Met {
  stretch: number; // how far the poses are from what the demonstrations make plausible, in standard deviations
  stretchLimit: number;
  nodes: number[]; // of start, points to pass, end
  errors: Float64Array; // poses x factors, in units of the data, orientations in radians; NaN: free
  largest: Float64Array; // per factor, correction of the route in the same units
  reason: string; // one line about a motion that is stretched, outside or blocked
  correction: Float64Array; // nodes: in model units
  samples: Float64Array[]; // motions that all meet the poses, nodes x ambient
}

export interface Grid {
  counts: [number, number];
  magnification: Float64Array; // log10 of the volume element, first axis fastest
  deviation: Float64Array;
  clearance: Float64Array; // of the decoded mean from the obstacles; negative inside one
}

export class ServerError extends Error {}
/** A newer request of this page has taken the place of this one. */
export class ReplacedError extends ServerError {}
const REPLACED = 409;

/** Which page asks: a newer request of the same page and purpose ends an older one of the same kind. */
const PAGE = Math.random().toString(36).slice(2, 10);

async function request(name: string, body?: Float64Array | string, signal?: AbortSignal, purpose = ""): Promise<Response> {
  const init: RequestInit = { signal: signal ?? null };
  if (body !== undefined) {
    init.method = "POST";
    init.body = typeof body === "string" ? body : (body.slice().buffer as ArrayBuffer);
  }
  // without a body it is what index.html has preloaded, under the same address
  const address = body === undefined ? name : `${name}?c=${PAGE}${purpose}`;
  const response = await fetch(address, init).catch((error: unknown) => {
    // a server that slept for a while closes its connections, also one that a request is under way on: ask again
    if (signal?.aborted || !(error instanceof TypeError)) throw error;
    return fetch(address, init);
  });
  if (response.ok) return response;
  const Kind = response.status === REPLACED ? ReplacedError : ServerError;
  throw new Kind((await response.text()).trim() || `the server answered ${response.status}`);
}

async function numbers(name: string, body?: Float64Array | string, signal?: AbortSignal, purpose = ""): Promise<Float64Array> {
  return new Float64Array(await (await request(name, body, signal, purpose)).arrayBuffer());
}

/** Obstacles at the end of a request: how many, then centre and radius of each. */
const obstacleNumbers = (obstacles: Obstacle[]): number[] => [obstacles.length, ...obstacles.flatMap((o) => [...o.centre, o.radius])];

export async function fetchModel(): Promise<ModelInfo> {
  return (await request("model")).json();
}
export const fetchLatents = () => numbers("latents");
export const fetchPoints = () => numbers("points");

export interface GridQuery {
  axes: [number, number];
  counts: [number, number];
  box: [number, number, number, number]; // first axis from, to, second axis from, to
  at: number[]; // coordinates of the other axes
  obstacles: Obstacle[];
}

export async function fetchGrid(query: GridQuery, signal: AbortSignal): Promise<Grid> {
  const body = [...query.axes, ...query.counts, ...query.box, ...query.at, ...obstacleNumbers(query.obstacles)];
  const values = await numbers("grid", new Float64Array(body), signal);
  const n = values.length / 3;
  return { counts: query.counts, magnification: values.subarray(0, n), deviation: values.subarray(n, 2 * n), clearance: values.subarray(2 * n) };
}

export interface DecodedPoints {
  points: Float64Array; // n x ambient
  deviation: Float64Array; // n
}

export async function fetchDecoded(latents: Float64Array, info: ModelInfo, what = "decode"): Promise<DecodedPoints> {
  const values = await numbers("decode", latents, undefined, what);
  const n = latents.length / info.latentDim;
  return { points: values.subarray(0, n * info.ambient), deviation: values.subarray(n * info.ambient) };
}

/** The roadmap's path, a spline, the geodesic: the earlier the quicker. */
export type Stage = 0 | 1 | 2;
export const FINAL: Stage = 2;

export interface PathQuery {
  points: number[][]; // start, points to pass, end
  obstacles: Obstacle[];
  stage: Stage;
}

const HEADER = 12;
const MOTION_HEADER = 18;

/** Numbers of an answer in their order, and the header of a path. */
function unpack(values: Float64Array, header: number) {
  let at = header;
  const take = (count: number): Float64Array => values.subarray(at, (at += count));
  const [nodes, length, energy, error, converged, straightLength, overSpread, clearance, seconds, reasons, turning, turningRest] = values as unknown as number[];
  return { take, head: { nodes: nodes!, length: length!, energy: energy!, error: error!, converged: converged === 1, straightLength: straightLength!, overSpread: overSpread!, clearance: clearance!, seconds: seconds!, reasons: reasons!, turning: [turning!, turningRest!] as [number, number] } };
}

const arraysOf = (take: (count: number) => Float64Array, nodes: number, info: ModelInfo) => ({
  latent: take(nodes * info.latentDim),
  points: take(nodes * info.ambient),
  deviation: take(nodes),
  speed: take(nodes),
});

export async function fetchPath(query: PathQuery, info: ModelInfo, signal?: AbortSignal): Promise<Path> {
  const body = [query.stage, query.points.length, ...query.points.flat(), ...obstacleNumbers(query.obstacles)];
  const { take, head } = unpack(await numbers("geodesic", new Float64Array(body), signal), HEADER);
  return { ...head, ...arraysOf(take, head.nodes, info), met: null };
}

export interface MotionQuery extends PathQuery {
  poses: (Pose | null)[]; // of the points
  samples: number;
}

export async function fetchMotion(query: MotionQuery, info: ModelInfo, signal?: AbortSignal): Promise<Path> {
  const stops = query.points.flatMap((latent, k) => {
    const pose = query.poses[k];
    return pose ? [1, ...pose.map((x) => x ?? NaN)] : [0, ...latent];
  });
  const body = [query.stage, query.samples, query.points.length, ...stops, ...obstacleNumbers(query.obstacles)];
  const values = await numbers("motion", new Float64Array(body), signal);
  const [stretch, stretchLimit, , poses, factors, letters] = values.subarray(HEADER, MOTION_HEADER) as unknown as number[];
  const { take, head } = unpack(values, MOTION_HEADER);
  const nodes = Array.from(take(poses!));
  const [errors, largest] = [take(poses! * factors!), take(factors!)];
  const reason = new TextDecoder().decode(Uint8Array.from(take(letters!)));
  const arrays = arraysOf(take, head.nodes, info);
  const correction = take(head.nodes);
  const samples = Array.from({ length: query.samples }, () => take(head.nodes * info.ambient));
  return { ...head, ...arrays, met: { stretch: stretch!, stretchLimit: stretchLimit!, nodes, errors, largest, reason, correction, samples } };
}

/** Draws of whole trajectories over latent points: count x nodes x ambient. */
export const fetchSamples = (latents: number[][], count: number) => numbers("samples", new Float64Array([count, ...latents.flat()]));

/** Latent points of the rows of a CSV text: n x latentDim. */
export const fetchEncoded = (csv: string) => numbers("encode", csv);

/** Positions of an arm's links along a path, and how many there are. */
export async function fetchArm(points: Float64Array): Promise<{ links: number; positions: Float64Array }> {
  const values = await numbers("arm", points);
  return { links: values[0]!, positions: values.subarray(1) };
}

/** True while the server answers. */
export async function isAlive(): Promise<boolean> {
  try {
    return (await fetch("model", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

/** Runs the newest call only: a new one aborts the one that is under way. */
export function latest<A extends unknown[]>(
  work: (signal: AbortSignal, ...args: A) => Promise<void>,
  failed: (error: unknown) => void,
): (...args: A) => void {
  let controller: AbortController | null = null;
  return (...args) => {
    controller?.abort();
    const mine = (controller = new AbortController());
    work(mine.signal, ...args)
      .catch((error: unknown) => {
        if (!mine.signal.aborted) failed(error);
      })
      .finally(() => {
        if (controller === mine) controller = null;
      });
  };
}

/** Runs one call at a time; of those that come meanwhile only the newest is run afterwards. */
export function oneAtATime<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => void {
  let busy = false;
  let next: A | null = null;
  const run = async (args: A): Promise<void> => {
    busy = true;
    try {
      await work(...args);
    } finally {
      busy = false;
      const queued = next;
      next = null;
      if (queued) void run(queued);
    }
  };
  return (...args) => {
    if (busy) next = args;
    else void run(args);
  };
}
