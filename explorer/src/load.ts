// The part of the page that draws in space.
type Space = typeof import("./space");

let loaded: Space | null = null;

export async function loadSpace(): Promise<void> {
  loaded ??= await import("./space");
}

/** After loadSpace. */
export const space = (): Space => loaded!;
