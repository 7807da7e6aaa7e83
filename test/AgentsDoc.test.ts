import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as DocumentServer from "./documents/DocumentServer.ts"
import * as Upstream from "./documents/Upstream.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"
import * as ServerProcess from "./ServerProcess.ts"

const document = DocumentServer.read("AGENTS.md")

const files = Object.fromEntries(
  [...document.matchAll(/^```js\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, name, code]) => [name!, code!])
)

/** The commands that are shown, as arguments. */
const commands = [...document.matchAll(/^\$ npx headwater (.*)$/gm)].map(([, line]) =>
  line!.split(" ").map((word) => word.replace(/^'(.*)'$/, "$1"))
)

it.live(
  "docs/AGENTS.md: every command that is shown works on the code that is shown, and the code does what is said",
  () =>
    Effect.gen(function*() {
      assert.hasAllKeys(files, ["orders.mjs", "issues.mjs", "large-orders/workflow.mjs"])
      const server = yield* ServerOnTestDatabase.make
      yield* server.start
      const folder = yield* DocumentServer.folderOf({ ...files, "order.json": "{\"order\":17,\"total\":160}" })
      const environment = {
        XDG_CONFIG_HOME: yield* TemporaryDirectory.make("config"),
        HEADWATER_URL: server.url,
        HEADWATER_API_KEY: ServerProcess.key
      }
      const run = (args: ReadonlyArray<string>) => HeadwaterCommand.run(args, environment, { cwd: folder })
      const emitted = (path: string, count: number) =>
        server.api("GET", `${path}/event_summaries?expand=event`).pipe(
          Effect.map(({ data }) => Json.listOf(data)),
          Effect.repeat({ until: (found) => found.length >= count, schedule: Schedule.spaced("50 millis") }),
          Effect.timeout("60 seconds")
        )
      const raw = (found: ReadonlyArray<Json.Json>): ReadonlyArray<unknown> =>
        found.map(({ event }) => event!["raw_event"]).toReversed()

      assert.isAbove(commands.length, 6)
      for (const [command = "", ...rest] of commands) {
        // The tests' key stands in the environment, a tail has no end, and the event is one of this run.
        if (command === "login") continue
        const last = yield* emitted("/sources/orders", command === "why" ? 1 : 0).pipe(Effect.orElseSucceed(() => []))
        const args = command === "why"
          ? [Json.textOf(last[0]!["id"])]
          : command === "tail"
          ? [...rest, "--max", "0"]
          : rest
        const { code, stderr } = yield* run([command, ...args])
        assert.deepStrictEqual([code, stderr], [0, ""], [command, ...args].join(" "))
      }
      assert.deepStrictEqual(raw(yield* emitted("/sources/orders", 1)), [{ order: 17, total: 160, count: 1 }])
      assert.deepStrictEqual(raw(yield* emitted("/workflows/large-orders", 1)), [{ order: 17, over: 60 }])

      const issues = [{ id: 7, title: "It rains", updated_at: "2026-11-20T09:00:00Z" }]
      const upstream = yield* Upstream.make({ "GET /issues": issues })
      const deployed = yield* run([
        "deploy",
        "issues.mjs",
        "--prop",
        `url=http://127.0.0.1:${upstream.port}/issues`,
        "--prop",
        "timer={\"intervalSeconds\":1}"
      ])
      assert.deepStrictEqual([deployed.code, deployed.stderr], [0, ""])
      yield* Effect.sync(() => upstream.calls.length).pipe(
        Effect.repeat({ until: (count) => count >= 3, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.deepStrictEqual(raw(yield* emitted("/sources/issues", 1)), issues)
    }),
  240_000
)
