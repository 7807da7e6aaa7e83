import { assert, layer } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { promisify } from "node:util"
import { apiKey, runScenario, Server, sinkOf, steps } from "./ScenarioServer.ts"

const version = "1.4.5"

layer(Server.layer, { excludeTestServices: true, timeout: "60 seconds" })("the clients", (it) => {
  it.effect("do the scenario: fetch, under Bun", () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("bun")
      yield* Effect.promise(() =>
        promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", `bun@${version}`], { cwd: folder })
      )
      const { url } = yield* Server
      const bun = Path.join(folder, "node_modules/.bin/bun")
      assert.strictEqual(yield* runScenario(bun, [], [url, apiKey, yield* sinkOf]), String(steps))
    }))
})
