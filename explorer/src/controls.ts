// Buttons, switches and menus of the bars.
import type { Store } from "./state";

export const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export function button(bar: HTMLElement, text: string, title: string, action: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.textContent = text;
  made.title = title;
  made.onclick = action;
  bar.append(made);
  return made;
}

/** A button that is on or off. */
export function toggle(bar: HTMLElement, store: Store, text: string, title: string, get: () => boolean, set: (on: boolean) => void): void {
  const made = button(bar, text, title, () => set(!get()));
  const show = (): void => made.setAttribute("aria-pressed", String(get()));
  store.subscribe(show);
  show();
}

export function select(bar: HTMLElement, label: string, options: [string, string][], value: string, set: (value: string) => void): void {
  const made = document.createElement("select");
  made.setAttribute("aria-label", label);
  made.title = label;
  for (const [key, text] of options) made.append(new Option(text, key, false, key === value));
  made.onchange = () => set(made.value);
  bar.append(made);
}

export function spring(bar: HTMLElement): void {
  const made = document.createElement("span");
  made.className = "spring";
  bar.append(made);
}
