import { assert, describe, it } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Accounts } from "@headwater/log/access/Accounts"
import { Components } from "@headwater/log/resources/Components"
import { Effect, Option } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"

/** A component that an account has saved. */
const saved = Effect.fnUntraced(function*(key: string | null) {
  const { id: accountId } = yield* (yield* Accounts).create({ username: "ann", email: "a@b", plan: "free" })
  const component = {
    id: Id.ComponentId.make(yield* Id.make("component")),
    accountId,
    key,
    code: "export default {}",
    codeHash: "0f",
    linked: null,
    name: "Feed",
    version: "1.2.3",
    type: "source",
    description: "Feeds",
    url: "https://ann:secret@example.com/feed.mjs",
    dedupe: "unique" as const,
    hooks: ["deploy"],
    batch: null,
    hasAdditionalProps: false,
    steps: null,
    configurableProps: [{ name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } }],
    createdAt: 1,
    updatedAt: 1
  }
  yield* (yield* Components).insert(component)
  return component
})

describe("headwater publish and unpublish", () => {
  it.live("bring a saved component into the registry once, and take it out again", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const components = yield* Components
      const own = yield* saved("a feed")
      const shown = HeadwaterCommand.jsonOf(yield* headwater("publish", own.id, "--json"))
      const id = Json.textOf(shown["id"])
      assert.deepStrictEqual<unknown>(shown, { id, key: "a feed", version: "1.2.3", code_hash: "0f", new: true })
      const published = Option.getOrThrow(yield* components.newestPublished("a feed"))
      const { createdAt, updatedAt } = published
      assert.isAbove(createdAt, 1)
      assert.deepStrictEqual<unknown>(published, { ...own, id, accountId: null, url: null, createdAt, updatedAt })
      assert.notStrictEqual(id, own.id)
      const again = yield* headwater("publish", own.id)
      assert.deepStrictEqual(again, {
        code: 0,
        stdout: `The newest version of a feed has the same code already: ${id}.\n`,
        stderr: ""
      })
      const gone = yield* headwater("unpublish", "a feed")
      assert.deepStrictEqual([gone.code, gone.stderr], [0, ""])
      assert.match(gone.stdout, /^Removed a feed from the registry \(versions: 1\)/)
      assert.isTrue(Option.isNone(yield* components.newestPublished("a feed")))
      const back = yield* headwater("publish", own.id)
      assert.match(back.stdout, /^Published a feed 1\.2\.3 as sc_\w+\.\n$/)
      assert.isTrue(Option.isSome(yield* components.newestPublished("a feed")))
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)

  it.live("refuse what is not there, has no key, or has one of the server's own", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const keyless = yield* saved(null)
      const reserved = yield* saved("headwater-schedule")
      const refused: ReadonlyArray<readonly [reason: RegExp, ...args: ReadonlyArray<string>]> = [
        [/There is no component "sc_unknown"/, "publish", "sc_unknown"],
        [/has no key in its code/, "publish", keyless.id],
        [/begins with headwater-/, "publish", reserved.id],
        [/begins with headwater-/, "unpublish", "headwater-schedule"],
        [/There is no component "feed" in the registry/, "unpublish", "feed"]
      ]
      yield* Effect.forEach(
        refused,
        ([reason, ...args]) => Effect.map(headwater(...args), (ended) => HeadwaterCommand.assertRefused(ended, reason)),
        { concurrency: 2 }
      )
      assert.isTrue(Option.isNone(yield* (yield* Components).newestPublished("headwater-schedule")))
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)
})
