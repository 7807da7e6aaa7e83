import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

const root = Path.resolve(import.meta.dirname, "..")

/** What a linter prints as JSON, whatever its exit code. Nothing is to be asked for or told outside this machine. */
const run = (command: string, args: ReadonlyArray<string>) =>
  Effect.callback<Json.Json>((resume) => {
    const env = {
      PATH: process.env["PATH"],
      CI: "true",
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true"
    }
    execFile(Path.join(root, "node_modules/.bin", command), args, { env, cwd: root }, (error, stdout, stderr) => {
      const output = stdout.slice(stdout.search(/[[{]/))
      resume(
        output.trim() === ""
          ? Effect.die(new Error(`${command} printed no JSON: ${stderr}`, { cause: error }))
          : Effect.sync(() => Json.parse(output))
      )
    })
  })

it.live(
  "the document the server serves has nothing for Spectral or Redocly to complain of",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerOnTestDatabase.make
      yield* server.start
      const served = yield* Effect.promise(() => fetch(`${server.url}/openapi.json`))
      assert.strictEqual(served.status, 200)
      const path = Path.join(yield* TemporaryDirectory.make("lint"), "openapi.json")
      yield* Effect.promise(async () => Fs.writeFile(path, await served.text()))

      const spectral = yield* run("spectral", ["lint", "--format=json", "--quiet", "--fail-severity=hint", path])
      assert.deepStrictEqual<unknown>(spectral, [])

      const redocly = yield* run("redocly", ["lint", "--format=json", path])
      assert.deepStrictEqual<unknown>(redocly["problems"], [])
      Json.assertHolds(redocly["totals"], { errors: 0, warnings: 0 })
    }),
  120_000
)
