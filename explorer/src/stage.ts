// A scene in space with a camera that turns, drawn only when something changes.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { Line2 } from "three/addons/lines/Line2.js";
import { styleColour } from "./colours";
import { atFrame } from "./frames";

const VIEW = new THREE.Vector3(0.57, -0.7, 0.43); // direction to the camera

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  readonly renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  readonly controls: OrbitControls;
  private radius = 1.4; // of what the camera should see
  private direction = VIEW.clone();
  private turned = false; // by hand
  private observer: ResizeObserver;

  constructor(private parent: HTMLElement) {
    parent.append(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.refresh());
    this.controls.addEventListener("start", () => (this.turned = true));
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8090a0, 2.2));
    const light = new THREE.DirectionalLight(0xffffff, 1.6);
    light.position.set(2, -3, 4);
    this.scene.add(light);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(parent);
    this.resize();
  }

  /** Show a ball of this radius around a point, from a direction. */
  lookFrom(radius: number, target = new THREE.Vector3(), direction = VIEW): void {
    if (this.turned) return;
    this.radius = radius;
    this.direction.copy(direction).normalize();
    this.controls.target.copy(target);
    this.fit();
  }

  private fit(): void {
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    const distance = this.radius / Math.sin(narrow);
    this.camera.position.copy(this.direction).multiplyScalar(distance).add(this.controls.target);
    this.controls.update();
    this.refresh();
  }

  private resize(): void {
    const width = Math.max(1, this.parent.clientWidth);
    const height = Math.max(1, this.parent.clientHeight);
    this.renderer.setPixelRatio(devicePixelRatio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.turned) this.fit();
    this.refresh();
  }

  refresh(): void {
    atFrame(this.render);
  }

  private render = (): void => this.renderer.render(this.scene, this.camera);

  destroy(): void {
    this.observer.disconnect();
    this.controls.dispose();
    for (const child of [...this.scene.children]) this.remove(child);
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.renderer.domElement.remove();
  }

  remove(object: THREE.Object3D): void {
    this.scene.remove(object);
    object.traverse((one) => {
      const { geometry, material } = one as Partial<THREE.Mesh>;
      geometry?.dispose();
      for (const each of Array.isArray(material) ? material : [material]) each?.dispose();
    });
  }

  // ---- the pointer ---------------------------------------------------------------------------

  ray(e: MouseEvent): THREE.Raycaster {
    const r = new THREE.Raycaster();
    r.setFromCamera(new THREE.Vector2((e.offsetX / this.parent.clientWidth) * 2 - 1, 1 - (e.offsetY / this.parent.clientHeight) * 2), this.camera);
    return r;
  }

  /** The place under the pointer, in the plane of the screen through `through`. */
  inScreenPlane(e: MouseEvent, through: THREE.Vector3): THREE.Vector3 {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), through);
    return this.ray(e).ray.intersectPlane(plane, new THREE.Vector3()) ?? through;
  }

  /** How far a place is from the pointer on the screen. */
  pixelsFrom(place: THREE.Vector3, e: MouseEvent): number {
    const v = place.clone().project(this.camera);
    return Math.hypot(((v.x + 1) / 2) * this.parent.clientWidth - e.offsetX, ((1 - v.y) / 2) * this.parent.clientHeight - e.offsetY);
  }

  // ---- pieces --------------------------------------------------------------------------------

  /** Add a thick line through points (x, y, z, x, y, z, ...). */
  line(points: number[], colour: string, width: number, opacity = 1): Line2 {
    const line = new Line2(new LineGeometry(), new LineMaterial({ linewidth: width, transparent: opacity < 1, opacity }));
    line.material.color.set(colour);
    line.frustumCulled = false;
    this.scene.add(line);
    setLine(line, points);
    return line;
  }

  dot(colour: string, radius: number): THREE.Mesh {
    return this.body(new THREE.SphereGeometry(radius, 24, 16), colour);
  }

  cube(colour: string, side: number): THREE.Mesh {
    return this.body(new THREE.BoxGeometry(side, side, side), colour);
  }

  private body(shape: THREE.BufferGeometry, colour: string): THREE.Mesh {
    const mesh = new THREE.Mesh(shape, new THREE.MeshStandardMaterial({ color: colour, roughness: 0.5 }));
    this.scene.add(mesh);
    return mesh;
  }

  /** Squares of `size` pixels. */
  cloud(points: Float32Array, colours: Float32Array, size: number): THREE.Points {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
    const cloud = new THREE.Points(geometry, new THREE.PointsMaterial({ size: size * devicePixelRatio, vertexColors: true, sizeAttenuation: false }));
    this.scene.add(cloud);
    return cloud;
  }

  /** Three coloured axes of length `size`. */
  frame(size: number, width: number): THREE.Group {
    const group = new THREE.Group();
    ["--frame-x", "--frame-y", "--frame-z"].map(styleColour).forEach((colour, k) => {
      const end = [0, 0, 0];
      end[k] = size;
      group.add(this.line([0, 0, 0, ...end], colour, width));
    });
    this.scene.add(group);
    return group;
  }

  /** Edges of a box around the origin. */
  cage(half: THREE.Vector3): void {
    const box = new THREE.LineSegments(
      new THREE.EdgesGeometry(new THREE.BoxGeometry(2 * half.x, 2 * half.y, 2 * half.z)),
      new THREE.LineBasicMaterial({ color: styleColour("--line") }),
    );
    this.scene.add(box);
  }
}

/** Other points for a line. */
export function setLine(line: Line2, points: number[]): void {
  line.geometry.dispose();
  line.geometry = new LineGeometry();
  if (points.length >= 6) line.geometry.setPositions(points);
  line.visible = points.length >= 6;
}
