import { assert, layer, vi } from "@effect/vitest"
import * as Stream from "@headwater/domain/Stream"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Effect, Schedule } from "effect"
import { fileURLToPath } from "node:url"
import * as Http from "../../test/HttpAppFixture.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** The modules that have called each other up to here, but for what the domain and the tests have; the outermost first. */
const modulesOnStack = (): ReadonlyArray<string> => {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 200
  const { stack = "" } = new Error("here")
  Error.stackTraceLimit = before
  const files = [...stack.matchAll(/(\/[^\s():]+\.ts)[:?]/g)].map(([, file]) => file!)
  const own = files.filter((file) =>
    file.startsWith(root) && !/node_modules|\.test\.ts|packages\/(?:domain|fixtures)\//.test(file)
  )
  return [...new Set(own.toReversed())].map((file) => file.slice(file.lastIndexOf("/") + 1, -".ts".length))
}

const until = (condition: () => boolean) =>
  Effect.repeat(Effect.sync(condition), { until: (holds) => holds, schedule: Schedule.spaced("5 millis") })

layer(Http.layer, { excludeTestServices: true })("through the modules of the server", (it) => {
  it.effect("a request comes into the log by 8 of them, and an event to its recorded outcome by 12", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event)") })
      const webhook = yield* http.created(`/v1/webhooks?url=${encodeURIComponent(sink.url)}&name=a&description=b`, {})
      yield* http.created(`/v1/subscriptions?emitter_id=${source.id}&listener_id=${webhook.id}`, {})
      const post = http.request("POST", Http.endpointOf(source), { body: {} })
      // The first ones find actors asleep and connections closed, which takes longer roads.
      for (let count = 1; count <= 3; count++) {
        yield* post
        yield* until(() => sink.received.length === count)
      }

      const roads: Record<"ingested" | "sent" | "recorded", ReadonlyArray<string>> = {
        ingested: [],
        sent: [],
        recorded: []
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
      const log = yield* GroupCommit
      const { submit } = log
      vi.spyOn(log, "submit").mockImplementation((commit) => {
        if (commit.events?.[0]?.stream === Stream.requests) roads.ingested = [...modulesOnStack(), "GroupCommit"]
        if (commit.attempts?.length === 1 && roads.sent.length > 0) {
          roads.recorded = [...modulesOnStack(), "GroupCommit"]
        }
        return submit(commit)
      })
      const egress = yield* EgressHttp
      const { start } = egress
      vi.spyOn(egress, "start").mockImplementation((...request) => {
        roads.sent = [...modulesOnStack(), "EgressHttp"]
        return start(...request)
      })
      yield* post
      yield* until(() => roads.recorded.length > 0)

      assert.deepStrictEqual(roads.ingested, [
        "EndpointRequest",
        "Ingest",
        "Actors",
        "ProgramActor",
        "ProgramRequests",
        "ProgramOwner",
        "EmitterLog",
        "GroupCommit"
      ])
      assert.deepStrictEqual([...new Set([...roads.sent, ...roads.recorded])], [
        "GroupCommit",
        "Router",
        "Actors",
        "Residents",
        "WebhookActor",
        "FirstAttempts",
        "Attempt",
        "WebhookSend",
        "EgressHttp",
        "Http1Connection",
        "EgressExchange",
        "WebhookOwner"
      ])
    }))
})
