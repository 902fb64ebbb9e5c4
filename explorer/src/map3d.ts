// The latent map in three dimensions: a cloud that turns, the path in it, handles that are dragged in the plane of the screen.
import * as THREE from "three";
import type { Line2 } from "three/addons/lines/Line2.js";
import { styleColour } from "./colours";
import { type Grip, MOST_STRETCH, type MapView, insertVia, sameGrip } from "./map";
import { pointColours, trajectoryOf } from "./points";
import type { Grid, ModelInfo, Path } from "./protocol";
import { Stage, setLine } from "./stage";
import type { Store } from "./state";

const NEAR = 20; // pixels

export class SpaceMap implements MapView {
  private stage: Stage;
  private axes: number[];
  private centre: number[];
  private scale: number[]; // per axis: a narrow cloud is stretched
  private ends: { from: THREE.Mesh; to: THREE.Mesh };
  private vias: THREE.Mesh[] = [];
  private pathLine: Line2;
  private straightLine: Line2;
  private marker: THREE.Mesh;
  private points: THREE.Points;
  private path: Path | null = null;
  private fresh: THREE.Points | null = null;
  private dragging: Grip | null = null;
  private selected: Grip = { kind: "to" };
  private hoverListener = (_: number[] | null): void => {};
  private dragListener = (_: boolean): void => {};

  constructor(
    private parent: HTMLElement,
    private info: ModelInfo,
    private latents: Float64Array,
    private store: Store,
  ) {
    this.stage = new Stage(parent);
    this.axes = store.state.axes;
    const spans = this.axes.map((a) => info.box[a]!);
    this.centre = spans.map(([a, b]) => (a + b) / 2);
    const least = 2 / Math.max(...spans.map(([a, b]) => b - a));
    this.scale = spans.map(([a, b]) => Math.min(MOST_STRETCH * least, 2 / (b - a)));
    const half = new THREE.Vector3(...spans.map(([a, b], k) => ((b - a) / 2) * this.scale[k]!));
    this.stage.cage(half);
    this.stage.lookFrom(half.length());
    this.points = this.stage.cloud(this.cloudOf(latents, info.points), this.coloursOf(), info.points > 5000 ? 1.5 : 4);
    this.straightLine = this.stage.line([], styleColour("--straight"), 2);
    this.pathLine = this.stage.line([], styleColour("--geodesic"), 4);
    this.marker = this.stage.dot(styleColour("--geodesic"), 0.026);
    this.ends = { from: this.stage.dot(styleColour("--ink"), 0.036), to: this.stage.cube(styleColour("--ink"), 0.06) };
    this.listen();
    this.refresh(false);
  }

  get canvas(): HTMLCanvasElement {
    return this.stage.renderer.domElement;
  }
  drawOn(): boolean {
    return false;
  }
  destroy(): void {
    this.stage.destroy();
  }

  // ---- coordinates ---------------------------------------------------------------------------

  private toSpace(latent: ArrayLike<number>, row = 0): THREE.Vector3 {
    const at = row * this.info.latentDim;
    return new THREE.Vector3(...this.axes.map((a, k) => (latent[at + a]! - this.centre[k]!) * this.scale[k]!));
  }

  private toLatent(v: THREE.Vector3, like: number[]): number[] {
    const latent = like.slice();
    v.toArray().forEach((x, k) => (latent[this.axes[k]!] = x / this.scale[k]! + this.centre[k]!));
    return latent;
  }

  private cloudOf(latents: Float64Array, count: number): Float32Array {
    const out = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) this.toSpace(latents, i).toArray(out, 3 * i);
    return out;
  }

  private coloursOf(): Float32Array {
    const out = new Float32Array(3 * this.info.points);
    const colourOf = pointColours(this.info, this.store.state.pointColour, trajectoryOf(this.info));
    const known = new Map<string, THREE.Color>();
    for (let i = 0; i < this.info.points; i++) {
      const text = colourOf(i);
      let colour = known.get(text);
      if (!colour) known.set(text, (colour = new THREE.Color(text.replace(/rgb\((\d+) (\d+) (\d+) .*/, "rgb($1, $2, $3)"))));
      colour.toArray(out, 3 * i);
    }
    return out;
  }

  // ---- contents ------------------------------------------------------------------------------

  setGrid(_grid: Grid, _box: [number, number, number, number]): void {}

  setPath(path: Path | null): void {
    this.path = path;
    this.refresh(false);
  }

  setNew(latents: Float64Array): void {
    if (this.fresh) this.stage.remove(this.fresh);
    const count = latents.length / this.info.latentDim;
    const colours = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) new THREE.Color(styleColour("--new")).toArray(colours, 3 * i);
    this.fresh = this.stage.cloud(this.cloudOf(latents, count), colours, 8);
    this.stage.refresh();
  }

  refresh(all: boolean): void {
    const { from, to, via, straight, time } = this.store.state;
    if (all) this.points.geometry.setAttribute("color", new THREE.BufferAttribute(this.coloursOf(), 3));
    this.ends.from.position.copy(this.toSpace(from));
    this.ends.to.position.copy(this.toSpace(to));
    this.placeVias(via);
    setLine(this.straightLine, straight ? [from, ...via, to].flatMap((p) => this.toSpace(p).toArray()) : []);
    const points: number[] = [];
    for (let i = 0; this.path && i < this.path.nodes; i++) points.push(...this.toSpace(this.path.latent, i).toArray());
    setLine(this.pathLine, points);
    this.marker.visible = !!this.path;
    if (this.path) this.marker.position.copy(this.toSpace(this.path.latent, Math.round(time * (this.path.nodes - 1))));
    for (const { grip, mesh } of this.handles()) mesh.scale.setScalar(sameGrip(grip, this.selected) ? 1.25 : 1);
    this.stage.refresh();
  }

  private placeVias(via: number[][]): void {
    while (this.vias.length > via.length) this.stage.remove(this.vias.pop()!);
    while (this.vias.length < via.length) this.vias.push(this.stage.dot(styleColour("--geodesic"), 0.03));
    via.forEach((p, k) => this.vias[k]!.position.copy(this.toSpace(p)));
  }

  box(): [number, number, number, number] {
    const [x, y] = this.info.box;
    return [x![0], x![1], y![0], y![1]];
  }
  onBox(_listener: () => void): void {}
  onHover(listener: (latent: number[] | null) => void): void {
    this.hoverListener = listener;
  }
  onDrag(listener: (dragging: boolean) => void): void {
    this.dragListener = listener;
  }

  // ---- hands ---------------------------------------------------------------------------------

  private handles(): { grip: Grip; mesh: THREE.Mesh }[] {
    return [
      { grip: { kind: "from" }, mesh: this.ends.from },
      { grip: { kind: "to" }, mesh: this.ends.to },
      ...this.vias.map((mesh, index) => ({ grip: { kind: "via", index } as Grip, mesh })),
    ];
  }

  private latentOf(grip: Grip): number[] {
    const { state } = this.store;
    return grip.kind === "via" ? state.via[grip.index]! : state[grip.kind];
  }

  private moveGrip(grip: Grip, latent: number[]): void {
    if (grip.kind === "via") this.store.update({ via: this.store.state.via.map((p, i) => (i === grip.index ? latent : p)) });
    else this.store.update({ [grip.kind]: latent });
  }

  /** The handle under the pointer. */
  private find(e: PointerEvent): Grip | null {
    let best: Grip | null = null;
    let least = NEAR;
    for (const { grip, mesh } of this.handles()) {
      const d = this.stage.pixelsFrom(mesh.position, e);
      if (d < least) [least, best] = [d, grip];
    }
    return best;
  }

  private listen(): void {
    const c = this.canvas;
    // before the camera's controls see it
    c.addEventListener(
      "pointerdown",
      (e) => {
        this.parent.focus();
        this.dragging = this.find(e);
        if (!this.dragging) return;
        this.selected = this.dragging;
        this.stage.controls.enabled = false;
        c.setPointerCapture(e.pointerId);
        this.hoverListener(null);
        this.dragListener(true);
      },
      { capture: true },
    );
    c.addEventListener("pointermove", (e) => {
      if (this.dragging) {
        const latent = this.latentOf(this.dragging);
        this.moveGrip(this.dragging, this.toLatent(this.stage.inScreenPlane(e, this.toSpace(latent)), latent));
      } else if (!e.buttons) {
        c.style.cursor = this.find(e) ? "grab" : "default";
        const nearest = this.nearestPoint(e);
        this.hoverListener(nearest);
      }
    });
    const release = (): void => {
      if (this.dragging) this.dragListener(false);
      this.dragging = null;
      this.stage.controls.enabled = true;
    };
    c.addEventListener("pointerup", release);
    c.addEventListener("pointercancel", release);
    c.addEventListener("pointerleave", () => this.hoverListener(null));
    c.addEventListener("dblclick", (e) => {
      const nearest = this.nearestPoint(e);
      if (nearest) this.store.update({ via: insertVia(this.store.state.via, nearest, this.path, this.info.latentDim) });
    });
  }

  /** The training point nearest to the pointer on the screen, if it is near. */
  private nearestPoint(e: MouseEvent): number[] | null {
    const Q = this.info.latentDim;
    let best: number | null = null;
    let least = NEAR;
    const v = new THREE.Vector3();
    const places = this.points.geometry.getAttribute("position");
    for (let i = 0; i < this.info.points; i++) {
      const d = this.stage.pixelsFrom(v.fromBufferAttribute(places, i), e);
      if (d < least) [least, best] = [d, i];
    }
    return best === null ? null : Array.from(this.latents.subarray(best * Q, (best + 1) * Q));
  }

  key(e: KeyboardEvent): boolean {
    const k = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [2, -1], PageUp: [2, 1] }[e.key];
    if (k) {
      const latent = this.latentOf(this.selected).slice();
      const axis = this.axes[k[0]!]!;
      latent[axis] = latent[axis]! + (k[1]! * 0.02) / this.scale[k[0]!]!;
      this.moveGrip(this.selected, latent);
    } else if (e.key === "h") {
      const all = this.handles();
      const at = all.findIndex((one) => sameGrip(one.grip, this.selected));
      this.selected = all[(at + 1) % all.length]!.grip;
      this.refresh(false);
    } else if ((e.key === "Delete" || e.key === "Backspace") && this.selected.kind === "via") {
      const { index } = this.selected;
      this.selected = { kind: "to" };
      this.store.update({ via: this.store.state.via.filter((_, i) => i !== index) });
    } else return false;
    return true;
  }
}
