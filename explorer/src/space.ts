// What is drawn in space, with three.js: a file of its own, loaded when a picture needs it.
export { SpaceMap } from "./map3d";
export { SpaceView } from "./views/space";
