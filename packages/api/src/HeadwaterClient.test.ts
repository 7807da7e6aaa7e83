import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import * as Path from "node:path"

it.live("the client goes into a bundle for browsers, without groups that are not called", () =>
  Effect.gen(function*() {
    const { metafile } = yield* Effect.promise(() =>
      build({
        entryPoints: [Path.resolve(import.meta.dirname, "HeadwaterClient.ts")],
        bundle: true,
        splitting: true,
        format: "esm",
        platform: "browser",
        outdir: "out",
        write: false,
        metafile: true,
        logLevel: "silent"
      })
    )
    const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
    assert.include(entries, "packages/api/src/SourcesApi.ts")
    assert.notInclude(Object.keys(metafile.inputs), "packages/api/src/HeadwaterApi.ts")
  }))
