// Asking for paths: while a handle moves quick ones, one after the other; then the exact one, which a new motion ends.
import { drawn } from "./frames";
import { FINAL, type ModelInfo, type Path, type Stage, fetchMotion, fetchPath } from "./protocol";
import { type State, isMotion, stopsOf } from "./state";

const SLOW = 180; // milliseconds: a quick answer that takes longer gives way to a quicker one
const PROMPT = 50; // milliseconds: a handle waits for an answer that takes less, so that both move together
const SAMPLE_COUNT = 6;
const PREVIEW = 0.25; // seconds: an exact answer that takes longer is preceded by a quick one

export class PathFinder {
  private busy = false;
  private again = false;
  private exact: AbortController | null = null;
  private quick: Stage = 1;
  private lastExact = Infinity;
  /** A handle that moves need not be drawn before its path: the path comes at once. */
  prompt = false;

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
        this.prompt = false;
        if (!this.again) this.failed(error);
      }
    }
    this.busy = false;
  }

  private async one(): Promise<void> {
    if (this.dragging() || this.lastExact > PREVIEW) {
      const started = performance.now();
      const path = await this.fetch(this.quick);
      const took = performance.now() - started;
      this.prompt = took < PROMPT;
      if (took > SLOW) this.quick = 0;
      await this.found(path, false);
      if (this.dragging()) await drawn(); // one path per frame: more would take the time that drawing needs
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
    const state = this.state();
    const query = { points: stopsOf(state), obstacles: state.obstacles, stage };
    if (!isMotion(state)) return fetchPath(query, this.info, signal);
    const samples = state.samples && stage === FINAL ? SAMPLE_COUNT : 0;
    return fetchMotion({ ...query, poses: state.poses, samples }, this.info, signal);
  }
}
