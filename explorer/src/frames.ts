// One animation frame for the whole page. A frame costs the browser much more than the drawing in it, so that
// everything that changed is drawn in the same one: also what is asked for while the frame runs.

const waiting = new Set<() => void>();
let scheduled = false;

/** Call `draw` in the next frame, or in the one that is being drawn; asked for twice it is called once. */
export function atFrame(draw: () => void): void {
  waiting.add(draw);
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(runFrame);
}

function runFrame(): void {
  try {
    for (const draw of waiting) {
      waiting.delete(draw);
      draw();
    }
  } finally {
    scheduled = waiting.size > 0; // after an exception
    if (scheduled) requestAnimationFrame(runFrame);
  }
}

/** Once what has been asked for is drawn. */
export const drawn = (): Promise<void> => new Promise((done) => atFrame(done));
