import { assert, it } from "@effect/vitest"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, Redacted } from "effect"
import * as HostedApi from "./HostedApi.ts"
import * as SwitchThere from "./SwitchThere.ts"

it.live("takes no page that it is led to for a workflow that is off", () =>
  Effect.gen(function*() {
    const asked: Array<string> = []
    const from = yield* Loopback.serve((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      if (request.url === "/login") response.end("Please log in")
      else response.writeHead(303, { location: "/login" }).end()
    })
    const service = { from, key: Redacted.make("k"), org: undefined }
    const refused = yield* Effect.flip(SwitchThere.off(service, "p_A1"))
    assert.match(refused.message, /p_A1 could not be switched off there \(it answers 303\)/)
    assert.deepStrictEqual(asked, ["PUT /workflows/p_A1"])
  }).pipe(Effect.provide(HostedApi.layer)))
