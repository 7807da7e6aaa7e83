import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "shop.mjs": `
    const shop = { type: "app", app: "shop", methods: { token() { return this.$auth.api_key } } }
    export default {
      name: "Shop",
      props: { shop, http: "$.interface.http" },
      run() { this.$emit({ token: this.shop.token() }) }
    }`,
  "feed.mjs": `
    const rss = { type: "app", app: "rss", methods: { items: () => [1, 2] } }
    export default {
      name: "Feed",
      props: { rss, http: "$.interface.http" },
      run() { this.$emit({ items: this.rss.items(), auth: Object.keys(this.rss["$" + "auth"] ?? {}) }) }
    }`,
  "credentials.json": JSON.stringify({ api_key: "of-a-file" })
}

const payload = (event: Json.Json | undefined): unknown => event!["event"]!["raw_event"]

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater accounts", (it) => {
  it.effect(
    "adds an account that a source then has, with credentials that are neither arguments nor shown",
    () =>
      Effect.gen(function*() {
        const { environment, events } = yield* RunningServer
        const cwd = yield* Files.make(files)
        const headwater = (args: ReadonlyArray<string>, input = "") =>
          CommandInProcess.run(args, { env: environment, cwd, input })
        HeadwaterCommand.assertRefused(
          yield* headwater(["deploy", "shop.mjs"]),
          /Shop needs a value for shop: give --prop shop=…\. `headwater accounts create shop` creates an account/
        )

        const created = yield* headwater(["accounts", "create", "shop", "--name", "North"], "{\"api_key\": \"typed\"}")
        assert.deepStrictEqual([created.code, created.stderr], [0, ""])
        const [, id = ""] = /^Account +(apn_\w+)\n/.exec(created.stdout) ?? []
        assert.notInclude(created.stdout, "typed")
        const fromFile = HeadwaterCommand.jsonOf(
          yield* headwater(["accounts", "create", "shop", "--file", "credentials.json", "--json"])
        )
        Json.assertHolds(fromFile, { app: "shop", name: "" })

        const deployed = HeadwaterCommand.jsonOf(
          yield* headwater(["deploy", "shop.mjs", "--prop", `shop=${id}`, "--json"])
        )
        yield* Effect.promise(() => fetch(Json.textOf(deployed["endpoint_url"])))
        assert.deepStrictEqual(payload((yield* events(Json.textOf(deployed["id"]), 1))[0]), { token: "typed" })

        const listed = Json.listOf(HeadwaterCommand.jsonOf(yield* headwater(["accounts", "list", "--json"])))
        assert.deepStrictEqual(listed.map((account) => account["id"]), [fromFile["id"], id])
        assert.strictEqual((yield* headwater(["accounts", "delete", id])).code, 0)
        HeadwaterCommand.assertRefused(yield* headwater(["accounts", "delete", id]), /no account "apn_/)
        const refused = yield* headwater(["accounts", "create", "shop"], "api_key=qx7")
        HeadwaterCommand.assertRefused(refused, /Standard input is not a JSON object/)
        assert.notInclude(refused.stderr, "qx7")
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect("is not needed by a component that reads no credentials", () =>
    Effect.gen(function*() {
      const { events, headwater } = yield* RunningServer
      const folder = yield* Files.make(files)
      const deployed = HeadwaterCommand.jsonOf(yield* headwater(folder, "deploy", "feed.mjs", "--json"))
      yield* Effect.promise(() => fetch(Json.textOf(deployed["endpoint_url"])))
      assert.deepStrictEqual(payload((yield* events(Json.textOf(deployed["id"]), 1))[0]), { items: [1, 2], auth: [] })
    }), HeadwaterCommand.patienceMs)
})
