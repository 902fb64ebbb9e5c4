// What every decoded view can do.
import type { Factor, ModelInfo, Path } from "../protocol";
import type { State, Store } from "../state";
import { Surface } from "../surface";

export interface Subject {
  info: ModelInfo;
  points: Float64Array; // training points, points x ambient
  store: Store;
  drag(on: boolean): void; // an obstacle begins or ends to move
}

/** A path's decoded points with what is drawn around them. */
export interface Decoded {
  path: Path | null;
  straight: Float64Array | null; // decoded straight line, as many nodes as the path
  samples: Float64Array[]; // drawn trajectories
  hover: Float64Array | null; // one point
  fresh: Float64Array; // new data, n x ambient
  arm: { links: number; positions: Float64Array } | null;
}

export interface View {
  show(decoded: Decoded): void;
  /** Draw it on another context; false: it is drawn in space. */
  drawOn(ctx: CanvasRenderingContext2D): boolean;
  /** True: the key was for the view. */
  key?(event: KeyboardEvent): boolean;
  readonly canvas: HTMLCanvasElement;
  destroy(): void;
}

/** A view on a canvas. What stays (`drawStill`) is drawn once per size and kept as a picture; the rest at every change. */
export abstract class CanvasView implements View {
  protected surface: Surface;
  protected decoded: Decoded | null = null;
  private unsubscribe: () => void;

  /** Drawn again when one of `watched` changes. */
  constructor(
    parent: HTMLElement,
    protected subject: Subject,
    watched: (keyof State)[] = ["time"],
  ) {
    this.surface = new Surface(parent, (ctx) => this.draw(ctx), undefined, (ctx) => this.drawStill(ctx));
    this.unsubscribe = subject.store.subscribe((_, changed) => {
      if (watched.some((key) => changed.has(key))) this.surface.refresh();
    });
  }

  protected abstract draw(ctx: CanvasRenderingContext2D): void;
  protected drawStill(_ctx: CanvasRenderingContext2D): void {}

  get canvas(): HTMLCanvasElement {
    return this.surface.canvas;
  }
  destroy(): void {
    this.unsubscribe();
    this.surface.destroy();
  }
  drawOn(ctx: CanvasRenderingContext2D): boolean {
    this.surface.drawOn(ctx);
    return true;
  }
  show(decoded: Decoded): void {
    this.decoded = decoded;
    this.surface.refresh();
  }
}

export interface ViewKind {
  name: string; // in the address
  title: string; // on the button
  load?(): Promise<void>; // before `make`
  make(parent: HTMLElement, subject: Subject): View;
}

/** Index of the path's node at the time that is shown. */
export const nodeAt = (path: Path, time: number): number => Math.round(time * (path.nodes - 1));

/** Calls `draw` with first point and number of points of each trajectory, or of all points. */
export function eachTrajectory(info: ModelInfo, draw: (start: number, count: number, index: number) => void): void {
  if (info.trajectories.length === 0) for (let i = 0; i < info.points; i++) draw(i, 1, info.labels[i] ?? 0);
  info.trajectories.forEach((t, k) => draw(t.start, t.count, info.labels.length ? info.labels[t.start]! : k));
}

/** Extent of numbers, a little wider. */
export function widened(low: number, high: number, part: number): [number, number] {
  const margin = part * (high - low) || 1e-9 + 0.1 * Math.abs(high);
  return [low - margin, high + margin];
}

export const factorText = (f: Factor): string => f.name + f.n;
