import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** The environment of a Node that takes itself for one of another platform. */
export const environment = (platform: string, arch: string) =>
  Effect.gen(function*() {
    const file = Path.join(yield* TemporaryDirectory.make("platform"), "platform.cjs")
    const lines = Object.entries({ platform, arch }).map(([name, value]) =>
      `Object.defineProperty(process, ${JSON.stringify(name)}, { value: ${JSON.stringify(value)} })\n`
    )
    yield* Effect.promise(() => Fs.writeFile(file, lines.join("")))
    return { NODE_OPTIONS: `--require ${file}` }
  })
