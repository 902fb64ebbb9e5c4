// Bundles the page into one folder: index.html, app.js, chunk.js, space.js, app.css. Usage: node build.mjs [OUTPUT]
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");
await mkdir(out, { recursive: true });
await build({
  entryPoints: { app: join(here, "src/main.ts") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  splitting: true, // app.js, space.js with three.js, and chunk.js with what both need
  chunkNames: "[name]",
  target: "es2022",
  legalComments: "eof",
  logLevel: "warning",
});
await build({ entryPoints: { app: join(here, "src/app.css") }, outdir: out, minify: true, logLevel: "warning" });
await copyFile(join(here, "src/index.html"), join(out, "index.html"));
