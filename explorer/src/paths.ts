// Asking for paths: while a handle moves quick ones, one after the other; then the exact one, which a new motion ends.
import { FINAL, type ModelInfo, type Path, type Stage, fetchPath } from "./protocol";
import type { State } from "./state";

const SLOW = 180; // milliseconds: a quick answer that takes longer gives way to a quicker one
const PREVIEW = 0.25; // seconds: an exact answer that takes longer is preceded by a quick one

export class PathFinder {
  private busy = false;
  private again = false;
  private exact: AbortController | null = null;
  private quick: Stage = 1;
  private lastExact = Infinity;

  constructor(
    private info: ModelInfo,
    private state: () => State,
    private dragging: () => boolean,
    private found: (path: Path, final: boolean) => Promise<void>,
    private failed: (error: unknown) => void,
  ) {}

  ask(): void {
    this.again = true;
    this.exact?.abort();
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.again) {
      this.again = false;
      try {
        await this.one();
      } catch (error) {
        if (!this.again) this.failed(error);
      }
    }
    this.busy = false;
  }

  private async one(): Promise<void> {
    if (this.dragging() || this.lastExact > PREVIEW) {
      const started = performance.now();
      await this.found(await this.fetch(this.quick), false);
      if (performance.now() - started > SLOW) this.quick = 0;
    }
    if (this.again || this.dragging()) return;
    this.exact = new AbortController();
    try {
      const path = await this.fetch(FINAL, this.exact.signal);
      this.lastExact = path.seconds;
      if (!this.again) await this.found(path, true);
    } finally {
      this.exact = null;
    }
  }

  private fetch(stage: Stage, signal?: AbortSignal): Promise<Path> {
    const { from, to, via, obstacles } = this.state();
    return fetchPath({ points: [from, ...via, to], obstacles, stage }, this.info, signal);
  }
}
