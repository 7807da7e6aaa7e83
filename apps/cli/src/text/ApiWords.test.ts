import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ApiWords from "./ApiWords.ts"

it.live("each request that a problem of the server points to is a command in the command line", () =>
  Effect.promise(async () => {
    const problems = Path.resolve(import.meta.dirname, "../../../../packages/api/src/Problem.ts")
    const requests = [...(await Fs.readFile(problems, "utf8")).matchAll(/GET \/v1\/[\w{}/]+/g)].map(([request]) =>
      request
    )
    assert.isAbove(requests.length, 15)
    for (const request of requests) assert.match(ApiWords.inCommands(request), /^`headwater [\w -]+`$/, request)
  }))
