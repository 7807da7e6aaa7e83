import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { BenchFailed } from "../BenchFailed.ts"

/** What is measured beside Headwater. No dependencies of the project. */
export const versions = {
  "pg-boss": "12.38.0",
  "graphile-worker": "0.18.0",
  bullmq: "6.7.0",
  // What they reach their stores through.
  pg: "8.23.1",
  ioredis: "6.0.0"
}

/** Installs them with npm into a folder that goes with the run. */
export const install: Effect.Effect<string, BenchFailed, Scope.Scope> = Effect.gen(function*() {
  const folder = yield* TemporaryDirectory.make("peers")
  const manifest = { private: true, dependencies: versions }
  yield* Effect.promise(() => Fs.writeFile(Path.join(folder, "package.json"), JSON.stringify(manifest)))
  yield* Effect.callback<void, BenchFailed>((resume) => {
    const options = ["--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    const child = execFile("npm", ["install", ...options], { cwd: folder }, (error, _, stderr) => {
      resume(
        error === null
          ? Effect.void
          : Effect.fail(new BenchFailed({ message: `npm can't install the peers: ${stderr || error.message}` }))
      )
    })
    return Effect.sync(() => child.kill())
  })
  return folder
})
