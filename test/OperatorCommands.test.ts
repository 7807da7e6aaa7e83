import { assert, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { livingProcesses } from "@headwater/postgres/PostgresProcesses"
import { Effect, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as HeadwaterCommand from "../apps/cli/test/HeadwaterCommand.ts"
import * as ServerProcess from "./ServerProcess.ts"

it.live(
  "headwater works on the embedded database whether its server runs, stands still, or was just killed",
  () =>
    Effect.gen(function*() {
      const dataDirectory = Path.join(yield* TemporaryDirectory.make("operator"), "data")
      const headwater = (...args: ReadonlyArray<string>) =>
        HeadwaterCommand.run(args, { HEADWATER_DATA_DIR: dataDirectory })
      const usernames = Effect.map(
        headwater("account", "list", "--json"),
        (ended) => Json.listOf(HeadwaterCommand.jsonOf(ended)).map(({ username }) => Json.textOf(username))
      )
      const postgres = livingProcesses(Path.join(dataDirectory, "postgres"))

      HeadwaterCommand.assertRefused(yield* headwater("account", "list"), /There is no database in .*data/)
      assert.deepStrictEqual(yield* Effect.promise(() => Fs.readdir(Path.dirname(dataDirectory))), [])

      const server = yield* ServerProcess.makeIn(dataDirectory)
      yield* server.start
      const created = HeadwaterCommand.jsonOf(
        yield* headwater("account", "create", "ann", "--email", "ann@example.com", "--json")
      )
      const key = Json.textOf(created["api_key"])
      const statusUnderKey = Effect.promise(async () => {
        const answer = await fetch(`${server.url}/v1/users/me`, { headers: { authorization: `Bearer ${key}` } })
        return answer.status
      })
      assert.strictEqual(yield* statusUnderKey, 200)
      const [first] = Json.listOf(HeadwaterCommand.jsonOf(yield* headwater("key", "list", "ann", "--json")))
      HeadwaterCommand.jsonOf(yield* headwater("key", "revoke", Json.textOf(first!["id"]), "--json"))
      yield* statusUnderKey.pipe(
        Effect.repeat({ until: (status) => status === 401, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("40 seconds")
      )

      yield* server.kill
      assert.deepStrictEqual(yield* usernames, ["admin", "ann"])
      assert.deepStrictEqual(yield* postgres, [], "the command left its Postgres behind")

      yield* server.start
      assert.strictEqual(yield* server.stop, 0)
    }),
  HeadwaterCommand.patienceMs
)
