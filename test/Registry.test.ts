import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

it.live(
  "the server's own components are in the registry once it says that it listens, and are published once",
  () =>
    Effect.gen(function*() {
      const server = yield* ServerOnTestDatabase.make
      const path = "/components/registry/headwater-schedule"
      const greeted = Effect.sync(() => server.output().includes("Headwater listens on")).pipe(
        Effect.repeat({ until: (greeted) => greeted, schedule: Schedule.spaced("5 millis") })
      )
      yield* server.start
      yield* greeted
      const { data: first } = yield* server.api("GET", path)
      Json.assertHolds(first, { name: "Schedule" })
      assert.strictEqual(yield* server.stop, 0)
      yield* server.start
      yield* greeted
      assert.deepStrictEqual((yield* server.api("GET", path))["data"], first)
    }),
  120_000
)
