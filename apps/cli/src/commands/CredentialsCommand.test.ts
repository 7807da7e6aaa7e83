import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { OAuthServer } from "@headwater/fixtures/OAuthServer"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import * as WatchedServer from "../../test/WatchedServer.ts"

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

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater credentials", (it) => {
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
          /Shop needs a value for shop: give --prop shop=…\. `headwater credentials create shop` creates an account/
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

  it.effect(
    "connects an account over OAuth 2 with a browser on this machine, or a device code",
    () =>
      Effect.gen(function*() {
        const { environment, server: { url } } = yield* RunningServer
        const server = yield* OAuthServer.make([`${url}/oauth/callback`])
        const runUser = Effect.runPromiseWith(yield* Effect.context<never>())
        const cwd = yield* Files.make({})
        const back = (url: string) => Effect.promise(() => fetch(url))
        // The user does meanwhile what the command says.
        const inFront = yield* WatchedServer.make(url, ({ body, path, status }) => {
          if (!path.endsWith("/connect") || status >= 300) return true
          const { data } = JSON.parse(body) as { readonly data: Record<string, string> }
          const user = data["user_code"] === null
            ? Effect.flatMap(server.authorize(data["url"]!), back)
            : server.allowDevice(data["user_code"]!)
          void runUser(user)
          return true
        })
        const run = (args: ReadonlyArray<string>, input = "") =>
          CommandInProcess.run(args, { env: { ...environment, HEADWATER_URL: inFront }, cwd, input })
        const created = HeadwaterCommand.jsonOf(
          yield* run([
            "accounts",
            "create",
            "shop",
            "--client-id",
            server.clientId,
            "--scopes",
            "openid",
            "--authorization-url",
            server.authorizationUrl,
            "--token-url",
            server.tokenUrl,
            "--device-url",
            server.deviceUrl,
            "--json"
          ], JSON.stringify({ client_secret: server.clientSecret }))
        )
        const id = Json.textOf(created["id"])
        Json.assertHolds(created["oauth"], { state: "unconnected", scopes: ["openid"] })
        const connected = yield* run(["accounts", "connect", id])
        assert.strictEqual(connected.code, 0, connected.stderr)
        assert.include(connected.stdout, "The server renews its token")
        assert.include(connected.stderr, `${url}/oauth/callback`)
        const again = yield* run(["accounts", "connect", id, "--device", "--json"])
        assert.strictEqual(again.code, 0, again.stderr)
        Json.assertHolds((Json.parse(again.stdout))["oauth"], { state: "connected", renewable: true })
        const listed = yield* run(["accounts", "list"])
        assert.match(listed.stdout, new RegExp(`${id} +shop +connected`))
        HeadwaterCommand.assertRefused(
          yield* run(["accounts", "create", "shop", "--client-id", "a", "--provider", "nobody"], "{}"),
          /No provider "nobody" is known/
        )
      }).pipe(Effect.scoped),
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
