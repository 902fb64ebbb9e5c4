// Curves in space: R3, with orientations as frames (S3, SO3), SPD3 as ellipsoids, an arm and obstacles; and S2 on its sphere.
import * as THREE from "three";
import type { Line2 } from "three/addons/lines/Line2.js";
import { groupColour, styleColour } from "../colours";
import type { Factor } from "../protocol";
import { Stage, setLine } from "../stage";
import { type Decoded, type Subject, type View, eachTrajectory, nodeAt } from "./view";

const FRAMES = 12; // along the path
const SAMPLES = 8; // lines of samples
const DEMONSTRATIONS = 60; // more are not drawn as lines

export interface SpaceParts {
  position: Factor | null; // R3 or S2
  orientation: Factor | null; // S3 or SO3
  ellipsoid: Factor | null; // SPD3
}

export class SpaceView implements View {
  private stage: Stage;
  private centre = [0, 0, 0];
  private scale = 1;
  private path: Line2;
  private straight: Line2;
  private samples: Line2[] = [];
  private marker: THREE.Mesh;
  private hover: THREE.Mesh;
  private arm: Line2;
  private frames: THREE.Group[] = [];
  private now: THREE.Group | null = null;
  private ellipsoids: THREE.Mesh[] = [];
  private obstacles: THREE.Mesh[] = [];
  private tube: THREE.Mesh;
  private fresh: THREE.Points | null = null;
  private decoded: Decoded | null = null;
  private dragging: number | null = null;
  private selected = -1; // obstacle
  private joints: THREE.Mesh[] = [];
  private unsubscribe: () => void;

  constructor(
    private parent: HTMLElement,
    private subject: Subject,
    private parts: SpaceParts,
  ) {
    this.stage = new Stage(parent);
    const sphere = parts.position?.name === "S";
    if (parts.position && !sphere) this.fitBox();
    if (sphere) this.addSphere();
    this.addDemonstrations();
    const { stage } = this;
    this.tube = new THREE.Mesh(undefined, new THREE.MeshStandardMaterial({ color: styleColour("--geodesic"), transparent: true, opacity: 0.18, depthWrite: false }));
    stage.scene.add(this.tube);
    this.straight = stage.line([], styleColour("--straight"), 2);
    for (let k = 0; k < SAMPLES; k++) this.samples.push(stage.line([], styleColour("--new"), 1.2, 0.8));
    this.path = stage.line([], styleColour("--geodesic"), 4);
    this.arm = stage.line([], styleColour("--arm"), 9);
    this.marker = stage.dot(styleColour("--geodesic"), 0.03);
    this.hover = stage.dot(styleColour("--accent"), 0.03);
    this.addBodies();
    this.unsubscribe = subject.store.subscribe((_, changed) => {
      if (changed.has("time")) this.update();
      if (changed.has("obstacles")) this.placeObstacles();
    });
    this.placeObstacles();
    if (subject.info.obstacles && !sphere) this.listen();
  }

  get canvas(): HTMLCanvasElement {
    return this.stage.renderer.domElement;
  }
  drawOn(): boolean {
    return false;
  }
  destroy(): void {
    this.unsubscribe();
    this.stage.destroy();
  }
  show(decoded: Decoded): void {
    this.decoded = decoded;
    this.update();
  }

  // ---- places --------------------------------------------------------------------------------

  private entry(points: Float64Array, row: number, factor: Factor, k: number): number {
    return points[row * this.subject.info.ambient + factor.offset + k]!;
  }

  private place(points: Float64Array, row: number): THREE.Vector3 {
    const p = this.parts.position;
    if (!p) return new THREE.Vector3();
    return new THREE.Vector3(...[0, 1, 2].map((k) => (this.entry(points, row, p, k) - this.centre[k]!) * this.scale));
  }

  private rotation(points: Float64Array, row: number): THREE.Quaternion {
    const o = this.parts.orientation!;
    const [w, x, y, z] = [0, 1, 2, 3].map((k) => this.entry(points, row, o, k));
    return new THREE.Quaternion(x!, y!, z!, w!);
  }

  private fitBox(): void {
    const p = this.parts.position!;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.subject.info.points; i++)
      for (let k = 0; k < 3; k++) {
        const v = this.entry(this.subject.points, i, p, k);
        low[k] = Math.min(low[k]!, v);
        high[k] = Math.max(high[k]!, v);
      }
    this.centre = low.map((l, k) => (l + high[k]!) / 2);
    this.scale = 1.8 / Math.max(...low.map((l, k) => high[k]! - l), 1e-12);
    const half = new THREE.Vector3(...low.map((l, k) => Math.max(0.02, ((high[k]! - l) / 2) * this.scale * 1.08)));
    this.stage.cage(half);
    this.stage.lookFrom(half.length() * 1.05);
  }

  private curve(points: Float64Array, start: number, count: number): number[] {
    const out: number[] = [];
    for (let i = 0; i < count; i++) out.push(...this.place(points, start + i).toArray());
    return out;
  }

  // ---- what stays ----------------------------------------------------------------------------

  private addSphere(): void {
    const material = new THREE.MeshStandardMaterial({ color: styleColour("--line"), transparent: true, opacity: 0.55, roughness: 0.9 });
    this.stage.scene.add(new THREE.Mesh(new THREE.SphereGeometry(0.985, 64, 48), material));
    this.stage.scene.add(graticule(0.99, styleColour("--soft")));
    const mean = new THREE.Vector3();
    for (let i = 0; i < this.subject.info.points; i++) mean.add(this.place(this.subject.points, i));
    if (mean.length() > 1e-6) this.stage.lookFrom(1.1, new THREE.Vector3(), mean.normalize().add(new THREE.Vector3(0.2, -0.25, 0.3)));
  }

  private addDemonstrations(): void {
    const { info, points } = this.subject;
    if (!this.parts.position) return;
    if (info.trajectories.length && info.trajectories.length <= DEMONSTRATIONS) {
      eachTrajectory(info, (start, count, k) => this.stage.line(this.curve(points, start, count), groupColour(k), 1.5, 0.55));
      return;
    }
    const places = new Float32Array(this.curve(points, 0, info.points));
    const colours = new Float32Array(3 * info.points);
    eachTrajectory(info, (start, count, k) => {
      for (let i = start; i < start + count; i++) new THREE.Color(groupColour(k)).toArray(colours, 3 * i);
    });
    this.stage.cloud(places, colours, info.points > 5000 ? 1.5 : 4);
  }

  private addBodies(): void {
    if (this.parts.orientation) {
      const small = this.parts.position ? 0.12 : 0.5;
      for (let k = 0; k <= FRAMES; k++) this.frames.push(this.stage.frame(small, 2));
      this.now = this.stage.frame(this.parts.position ? 0.26 : 1, 4);
    }
    if (!this.parts.ellipsoid) return;
    for (let k = 0; k <= FRAMES + 1; k++) {
      const now = k > FRAMES;
      const mesh = new THREE.Mesh(
        new THREE.SphereGeometry(1, 24, 16),
        new THREE.MeshStandardMaterial({ color: styleColour("--geodesic"), transparent: true, opacity: now ? 0.8 : 0.25 }),
      );
      mesh.matrixAutoUpdate = false;
      this.stage.scene.add(mesh);
      this.ellipsoids.push(mesh);
    }
  }

  // ---- what moves ----------------------------------------------------------------------------

  private update(): void {
    const d = this.decoded;
    if (!d) return;
    const path = d.path;
    const { ambient } = this.subject.info;
    const drawn = this.parts.position !== null;
    setLine(this.path, path && drawn ? this.curve(path.points, 0, path.nodes) : []);
    setLine(this.straight, d.straight && drawn ? this.curve(d.straight, 0, d.straight.length / ambient) : []);
    this.samples.forEach((line, k) => {
      const sample = d.samples[k];
      setLine(line, sample && drawn ? this.curve(sample, 0, sample.length / ambient) : []);
    });
    this.marker.visible = !!path && drawn;
    this.hover.visible = !!d.hover && drawn;
    if (d.hover) this.hover.position.copy(this.place(d.hover, 0));
    if (path) this.updateAlong(path.points, path.nodes, nodeAt(path, this.subject.store.state.time));
    this.updateTube();
    this.updateArm();
    this.updateFresh(d.fresh);
    this.stage.refresh();
  }

  private updateAlong(points: Float64Array, nodes: number, node: number): void {
    this.marker.position.copy(this.place(points, node));
    const rows = Array.from({ length: FRAMES + 1 }, (_, k) => Math.round((k / FRAMES) * (nodes - 1)));
    this.frames.forEach((frame, k) => this.pose(frame, points, rows[k]!));
    const hover = this.decoded!.hover;
    if (this.now) this.pose(this.now, hover ?? points, hover ? 0 : node);
    if (!this.parts.ellipsoid) return;
    rows.push(node);
    this.ellipsoids.forEach((mesh, k) => this.shape(mesh, hover && k > FRAMES ? hover : points, hover && k > FRAMES ? 0 : rows[k]!));
  }

  private pose(frame: THREE.Group, points: Float64Array, row: number): void {
    frame.position.copy(this.place(points, row));
    frame.quaternion.copy(this.rotation(points, row));
  }

  /** The ellipsoid L u, |u| = 1, with the Cholesky factor A = L L^T. */
  private shape(mesh: THREE.Mesh, points: Float64Array, row: number): void {
    const f = this.parts.ellipsoid!;
    const a = (i: number, j: number): number => this.entry(points, row, f, 3 * i + j);
    const l00 = Math.sqrt(a(0, 0));
    const l10 = a(1, 0) / l00;
    const l20 = a(2, 0) / l00;
    const l11 = Math.sqrt(Math.max(1e-300, a(1, 1) - l10 * l10));
    const l21 = (a(2, 1) - l20 * l10) / l11;
    const l22 = Math.sqrt(Math.max(0, a(2, 2) - l20 * l20 - l21 * l21));
    const s = (this.parts.position ? 0.12 : 0.8) / Math.max(l00, l11, l22);
    const p = this.place(points, row);
    mesh.matrix.set(s * l00, 0, 0, p.x, s * l10, s * l11, 0, p.y, s * l20, s * l21, s * l22, p.z, 0, 0, 0, 1);
  }

  /** A tube of two deviations around the path. */
  private updateTube(): void {
    const path = this.decoded!.path;
    this.tube.visible = !!path && !!this.parts.position && path.nodes > 3;
    if (!path || !this.tube.visible) return;
    const unit = this.subject.info.scale[this.subject.info.factors.indexOf(this.parts.position!)] ?? 1;
    const points = Array.from({ length: 40 }, (_, k) => this.place(path.points, Math.round((k / 39) * (path.nodes - 1))));
    const mean = path.deviation.reduce((sum, x) => sum + x, 0) / path.nodes;
    this.tube.geometry.dispose();
    this.tube.geometry = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 80, Math.min(0.5, 2 * mean * unit * this.scale), 10);
  }

  private updateArm(): void {
    const arm = this.decoded!.arm;
    const path = this.decoded!.path;
    const shown = arm && path && this.parts.position;
    while (this.joints.length > (shown ? arm.links : 0)) this.stage.remove(this.joints.pop()!);
    if (!shown) return setLine(this.arm, []);
    while (this.joints.length < arm.links) this.joints.push(this.stage.dot(styleColour("--arm"), 0.035));
    const node = nodeAt(path, this.subject.store.state.time);
    const out: number[] = [];
    for (let k = 0; k < arm.links; k++) {
      const at = [0, 1, 2].map((c) => (arm.positions[(node * arm.links + k) * 3 + c]! - this.centre[c]!) * this.scale);
      this.joints[k]!.position.set(at[0]!, at[1]!, at[2]!);
      out.push(...at);
    }
    setLine(this.arm, out);
    this.showWhole(arm.positions);
  }

  /** The camera takes in the arm as well as the data. */
  private showWhole(positions: Float64Array): void {
    const box = new THREE.Box3(new THREE.Vector3(-1, -1, -1).multiplyScalar(0.6), new THREE.Vector3(1, 1, 1).multiplyScalar(0.6));
    for (let i = 0; i < positions.length; i += 3)
      box.expandByPoint(new THREE.Vector3(...[0, 1, 2].map((c) => (positions[i + c]! - this.centre[c]!) * this.scale)));
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    this.stage.lookFrom(0.95 * sphere.radius, sphere.center);
  }

  private updateFresh(fresh: Float64Array): void {
    if (this.fresh) this.stage.remove(this.fresh);
    const count = fresh.length / this.subject.info.ambient;
    if (!count || !this.parts.position) return;
    const colours = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) new THREE.Color(styleColour("--new")).toArray(colours, 3 * i);
    this.fresh = this.stage.cloud(new Float32Array(this.curve(fresh, 0, count)), colours, 8);
  }

  // ---- obstacles -----------------------------------------------------------------------------

  private placeObstacles(): void {
    for (const mesh of this.obstacles) this.stage.remove(mesh);
    this.obstacles = [];
    if (this.parts.position?.name === "R")
      for (const { centre, radius } of this.subject.store.state.obstacles) {
        const mesh = this.stage.dot(styleColour("--obstacle"), radius * this.scale);
        mesh.position.set(...(centre.map((x, k) => (x - this.centre[k]!) * this.scale) as [number, number, number]));
        this.obstacles.push(mesh);
      }
    this.stage.refresh();
  }

  /** Delete removes the obstacle that was touched last. */
  key(e: KeyboardEvent): boolean {
    const { store } = this.subject;
    if ((e.key !== "Delete" && e.key !== "Backspace") || !store.state.obstacles[this.selected]) return false;
    store.update({ obstacles: store.state.obstacles.filter((_, k) => k !== this.selected) });
    this.selected = -1;
    return true;
  }

  private listen(): void {
    const c = this.canvas;
    // before the camera's controls see it
    c.addEventListener(
      "pointerdown",
      (e) => {
        this.parent.focus();
        const hit = this.stage.ray(e).intersectObjects(this.obstacles)[0];
        if (!hit) return;
        this.dragging = this.selected = this.obstacles.indexOf(hit.object as THREE.Mesh);
        this.stage.controls.enabled = false;
        c.setPointerCapture(e.pointerId);
        this.subject.drag(true);
      },
      { capture: true },
    );
    c.addEventListener("pointermove", (e) => {
      if (this.dragging === null) return;
      const at = this.stage.inScreenPlane(e, this.obstacles[this.dragging]!.position);
      const centre = at.toArray().map((x, k) => x / this.scale + this.centre[k]!);
      const { store } = this.subject;
      store.update({ obstacles: store.state.obstacles.map((o, i) => (i === this.dragging ? { ...o, centre } : o)) });
    });
    const release = (): void => {
      if (this.dragging !== null) this.subject.drag(false);
      this.dragging = null;
      this.stage.controls.enabled = true;
    };
    c.addEventListener("pointerup", release);
    c.addEventListener("pointercancel", release);
  }
}

/** Circles of latitude and longitude, 15 degrees apart. */
function graticule(radius: number, colour: string): THREE.LineSegments {
  const places: number[] = [];
  const at = (latitude: number, longitude: number): number[] => [
    radius * Math.cos(latitude) * Math.cos(longitude),
    radius * Math.cos(latitude) * Math.sin(longitude),
    radius * Math.sin(latitude),
  ];
  const step = Math.PI / 48;
  for (let k = -5; k <= 5; k++) for (let j = 0; j < 96; j++) places.push(...at((k * Math.PI) / 12, j * step), ...at((k * Math.PI) / 12, (j + 1) * step));
  for (let k = 0; k < 24; k++) for (let j = -24; j < 24; j++) places.push(...at(j * step, (k * Math.PI) / 12), ...at((j + 1) * step, (k * Math.PI) / 12));
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.22 }));
}
