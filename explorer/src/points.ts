// Which trajectory and label a training point has, and the colour that follows.
import { css, groupColour, mapColour } from "./colours";
import type { ModelInfo } from "./protocol";
import type { PointColour } from "./state";

const STEPS = 24; // colours of time

/** Trajectory of every point; -1 without. */
export function trajectoryOf(info: ModelInfo): Int32Array {
  const out = new Int32Array(info.points).fill(-1);
  info.trajectories.forEach((t, k) => out.fill(k, t.start, t.start + t.count));
  return out;
}

/** A colour per point, as text; few different ones. */
export function pointColours(info: ModelInfo, by: PointColour, trajectories: Int32Array): (i: number) => string {
  if (by === "label" && info.labels.length) return (i) => groupColour(info.labels[i] ?? 0);
  if (by === "trajectory" && info.trajectories.length) return (i) => groupColour(Math.max(0, trajectories[i]!));
  const times = Array.from({ length: STEPS + 1 }, (_, k) => css(mapColour("sequential", 0.1 + (0.8 * k) / STEPS)));
  return (i) => {
    const one = info.trajectories[trajectories[i]!];
    const phase = one ? (i - one.start) / Math.max(1, one.count - 1) : i / Math.max(1, info.points - 1);
    return times[Math.round(phase * STEPS)]!;
  };
}
