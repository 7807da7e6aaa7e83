import { build, type Plugin } from "esbuild"
import * as Path from "node:path"

/** Packages that go into the bundle: those that would be loaded as hundreds of files. */
const inside = /^(effect|@effect\/platform-node|@effect\/platform-node-shared|@headwater\/[\w-]+)(\/|$)/

/** All others are loaded where npm has put them. */
const outside: Plugin = {
  name: "outside",
  setup: ({ onResolve }) =>
    onResolve(
      { filter: /^[^./]/ },
      ({ kind, path }) => kind === "entry-point" || inside.test(path) ? undefined : { path, external: true }
    )
}

/**
 * Bundles the command, each subcommand in a file that is loaded when it is needed: from sources it takes several times as
 * long to start.
 *
 * @param folder the folder for `main.js` and what it loads, in the package or in one below
 */
export const write = async (folder: string): Promise<void> => {
  await build({
    entryPoints: [Path.resolve(import.meta.dirname, "../src/main.ts")],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    plugins: [outside],
    logLevel: "error"
  })
}
