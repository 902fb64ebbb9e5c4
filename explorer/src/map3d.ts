// The latent map in three dimensions: a cloud that turns, the path in it, handles that are dragged in the plane of the screen.
import * as THREE from "three";
import type { Line2 } from "three/addons/lines/Line2.js";
import { groupColour, styleColour } from "./colours";
import type { MapView } from "./map";
import type { Grid, ModelInfo, Path } from "./protocol";
import { Stage, setLine } from "./stage";
import type { Store } from "./state";

type Kind = "from" | "to";

export class SpaceMap implements MapView {
  private stage: Stage;
  private centre: number[];
  private scale: number;
  private handles: Record<Kind, THREE.Mesh>;
  private pathLine: Line2;
  private straightLine: Line2;
  private marker: THREE.Mesh;
  private path: Path | null = null;
  private fresh: THREE.Points | null = null;
  private dragging: Kind | null = null;
  private selected: Kind = "to";
  private hoverListener = (_: number[] | null): void => {};
  private dragListener = (_: boolean): void => {};

  constructor(
    private parent: HTMLElement,
    private info: ModelInfo,
    private latents: Float64Array,
    private store: Store,
  ) {
    this.stage = new Stage(parent);
    const spans = info.box.slice(0, 3);
    this.centre = spans.map(([a, b]) => (a + b) / 2);
    this.scale = 2 / Math.max(...spans.map(([a, b]) => b - a));
    this.stage.cage(new THREE.Vector3(...spans.map(([a, b]) => ((b - a) / 2) * this.scale)));
    this.stage.cloud(this.cloudOf(latents, info.points), this.coloursOf(), 0.022);
    this.straightLine = this.stage.line([], styleColour("--straight"), 2);
    this.pathLine = this.stage.line([], styleColour("--geodesic"), 4);
    this.marker = this.stage.dot(styleColour("--geodesic"), 0.03);
    this.handles = { from: this.stage.dot(styleColour("--from"), 0.045), to: this.stage.dot(styleColour("--to"), 0.045) };
    this.listen();
    this.refresh();
  }

  get canvas(): HTMLCanvasElement {
    return this.stage.renderer.domElement;
  }

  destroy(): void {
    this.stage.destroy();
  }

  private toSpace(latent: ArrayLike<number>, offset = 0): THREE.Vector3 {
    return new THREE.Vector3(...[0, 1, 2].map((k) => (latent[offset + k]! - this.centre[k]!) * this.scale));
  }

  private toLatent(v: THREE.Vector3): number[] {
    return [v.x, v.y, v.z].map((x, k) => x / this.scale + this.centre[k]!);
  }

  private cloudOf(latents: Float64Array, count: number): Float32Array {
    const out = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) this.toSpace(latents, 3 * i).toArray(out, 3 * i);
    return out;
  }

  private coloursOf(): Float32Array {
    const out = new Float32Array(3 * this.info.points);
    const colour = new THREE.Color();
    this.info.trajectories.forEach((t, k) => {
      for (let i = t.start; i < t.start + t.count; i++) colour.set(groupColour(k)).toArray(out, 3 * i);
    });
    if (this.info.labels.length) this.info.labels.forEach((label, i) => colour.set(groupColour(label)).toArray(out, 3 * i));
    else if (!this.info.trajectories.length) for (let i = 0; i < this.info.points; i++) colour.set(groupColour(0)).toArray(out, 3 * i);
    return out;
  }

  setGrid(_grid: Grid, _box: [number, number, number, number]): void {}

  setPath(path: Path | null): void {
    this.path = path;
    this.refresh();
  }

  setNew(latents: Float64Array): void {
    if (this.fresh) this.stage.scene.remove(this.fresh);
    const count = latents.length / 3;
    const colours = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) new THREE.Color(styleColour("--new")).toArray(colours, 3 * i);
    this.fresh = this.stage.cloud(this.cloudOf(latents, count), colours, 0.05);
    this.stage.refresh();
  }

  refresh(): void {
    const { from, to, via, straight, time } = this.store.state;
    this.handles.from.position.copy(this.toSpace(from));
    this.handles.to.position.copy(this.toSpace(to));
    const stops = straight ? [from, ...via, to].flatMap((p) => this.toSpace(p).toArray()) : [];
    setLine(this.straightLine, stops);
    const points: number[] = [];
    for (let i = 0; this.path && i < this.path.nodes; i++) points.push(...this.toSpace(this.path.latent, 3 * i).toArray());
    setLine(this.pathLine, points);
    this.marker.visible = !!this.path;
    if (this.path) this.marker.position.copy(this.toSpace(this.path.latent, 3 * Math.round(time * (this.path.nodes - 1))));
    this.stage.refresh();
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

  private ray(e: PointerEvent): THREE.Raycaster {
    const r = new THREE.Raycaster();
    r.params.Points.threshold = 0.03;
    r.setFromCamera(new THREE.Vector2((e.offsetX / this.parent.clientWidth) * 2 - 1, 1 - (e.offsetY / this.parent.clientHeight) * 2), this.stage.camera);
    return r;
  }

  /** The point under the pointer, in the plane of the screen through `through`. */
  private inScreenPlane(e: PointerEvent, through: THREE.Vector3): THREE.Vector3 {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), through);
    return this.ray(e).ray.intersectPlane(plane, new THREE.Vector3()) ?? through;
  }

  private listen(): void {
    const c = this.canvas;
    c.addEventListener("pointerdown", (e) => {
      this.parent.focus();
      const hit = this.ray(e).intersectObjects([this.handles.from, this.handles.to])[0];
      if (!hit) return;
      this.dragging = this.selected = hit.object === this.handles.from ? "from" : "to";
      this.stage.controls.enabled = false;
      this.dragListener(true);
    });
    c.addEventListener("pointermove", (e) => {
      if (this.dragging) {
        const latent = this.toLatent(this.inScreenPlane(e, this.handles[this.dragging].position));
        this.store.update({ [this.dragging]: latent });
      } else if (!e.buttons) {
        const nearest = this.nearestPoint(e);
        this.hoverListener(nearest === null ? null : Array.from(this.latents.subarray(3 * nearest, 3 * nearest + 3)));
      }
    });
    c.addEventListener("pointerup", () => {
      if (this.dragging) this.dragListener(false);
      this.dragging = null;
      this.stage.controls.enabled = true;
    });
    c.addEventListener("dblclick", (e) => {
      const nearest = this.nearestPoint(e as PointerEvent);
      if (nearest !== null) this.store.update({ via: [...this.store.state.via, Array.from(this.latents.subarray(3 * nearest, 3 * nearest + 3))] });
    });
  }

  /** The training point nearest to the pointer on the screen, within 20 pixels. */
  private nearestPoint(e: PointerEvent): number | null {
    let best: number | null = null;
    let least = 20;
    const v = new THREE.Vector3();
    for (let i = 0; i < this.info.points; i++) {
      v.copy(this.toSpace(this.latents, 3 * i)).project(this.stage.camera);
      const d = Math.hypot(((v.x + 1) / 2) * this.parent.clientWidth - e.offsetX, ((1 - v.y) / 2) * this.parent.clientHeight - e.offsetY);
      if (d < least) [least, best] = [d, i];
    }
    return best;
  }

  key(e: KeyboardEvent): boolean {
    const k = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1], PageDown: [2, -1], PageUp: [2, 1] }[e.key];
    if (k) {
      const latent = this.store.state[this.selected].slice();
      latent[k[0]!] = latent[k[0]!]! + (k[1]! * 0.02) / this.scale;
      this.store.update({ [this.selected]: latent });
      return true;
    }
    if (e.key === "h") {
      this.selected = this.selected === "from" ? "to" : "from";
      return true;
    }
    if ((e.key === "Delete" || e.key === "Backspace") && this.store.state.via.length) {
      this.store.update({ via: this.store.state.via.slice(0, -1) });
      return true;
    }
    return false;
  }
}
