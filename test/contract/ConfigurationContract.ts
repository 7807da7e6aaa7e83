import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect } from "effect"
import { assertInvalid, assertProblem, type Client, ContractServer, type It } from "./ContractServer.ts"

const code = `
const shop = {
  type: "app",
  app: "shop",
  propDefinitions: {
    branch: {
      type: "string",
      label: "Branch",
      async options({ page, prevContext, query, region }) {
        if (query === "fail") throw new Error("the shop is closed")
        if (query === "deep") return [JSON.parse("[".repeat(600) + "]".repeat(600))]
        const { from = 0 } = prevContext
        return {
          options: [{ label: this.greet(page), value: region + from + (query ?? "") }],
          context: { from: from + 1 }
        }
      }
    }
  },
  methods: { greet(page) { return (this.$auth.owner ?? "nobody") + page } }
}
export default {
  key: "configured",
  props: {
    http: "$.interface.http",
    shop: { ...shop, optional: true },
    region: { type: "string", default: "north", reloadProps: true },
    branch: { propDefinition: [shop, "branch", (props) => ({ region: props.region })], optional: true },
    size: { type: "string", options: ["s", "m"], optional: true },
    sizes: { type: "string", options() { return [this.region, this.second()] }, optional: true }
  },
  methods: { second() { return "second" } },
  async additionalProps() {
    const props = {}
    if (this.region === "south") {
      props.depth = { type: "integer", label: "Depth", min: 1, reloadProps: true }
      props.timer = { type: "$.interface.timer", default: { intervalSeconds: 3600 } }
    }
    if (this.depth > 1) props.floor = { type: "string", async options() { return ["depth " + this.depth] } }
    if (this.region === "void") throw new Error("nothing is there")
    return props
  },
  run() { this.$emit({ depth: this.depth, floor: this.floor }) }
}`

const saved = Effect.fnUntraced(function*(client: Client) {
  return Json.textOf((yield* client.ok("POST", "/components", { component_code: code }))["id"])
})

/** components.md, "Props": `options`, `additionalProps`, `http_request`, apphook. */
export const rows = (it: It): void => {
  it.effect("extension: options of a prop come from its code, a page at a time, with what the user has configured", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("options")
      const id = yield* saved(client)
      const path = `/components/${id}/configure`
      const configure = (body: Record<string, unknown>, at = path) => client.ok("POST", at, body)
      const account = yield* client.ok("POST", "/accounts", { app: "shop", credentials: { owner: "ann" } })
      const configured_props = { shop: { authProvisionId: account["id"] }, region: "east" }
      assert.deepStrictEqual<unknown>(yield* configure({ prop_name: "branch", configured_props, page: 3 }), {
        options: [{ label: "ann3", value: "east0" }],
        context: { from: 1 }
      })
      assert.deepStrictEqual<unknown>(
        yield* configure(
          { prop_name: "branch", prev_context: { from: 4 }, query: "q" },
          "/components/configured/configure"
        ),
        { options: [{ label: "nobody0", value: "north4q" }], context: { from: 5 } }
      )
      assert.deepStrictEqual<unknown>(yield* configure({ prop_name: "size" }), { options: ["s", "m"] })
      assert.deepStrictEqual<unknown>(yield* configure({ prop_name: "sizes" }), { options: ["north", "second"] })
      assert.deepStrictEqual<unknown>(
        yield* configure({ prop_name: "floor", configured_props: { region: "south", depth: 7 } }),
        { options: ["depth 7"] }
      )
      const failed = yield* client.send("POST", path, { body: { prop_name: "branch", query: "fail" } })
      assertProblem(failed, 422, "hook_failed")
      Json.assertHolds(failed.json["details"]!, { message: "the shop is closed", line: 10 })
      const deep = yield* client.send("POST", path, { body: { prop_name: "branch", query: "deep" } })
      assertProblem(deep, 422, "hook_failed")
      assert.include(Json.textOf(deep.json["detail"]), "nested deeper than 500 levels")
      assertProblem(yield* client.send("POST", path, { body: { prop_name: "nothing" } }), 422, "hook_failed")
      assertProblem(yield* bob.send("POST", path, { body: {} }), 404, "not_found")
      assertInvalid(yield* client.send("POST", path, { body: { page: -1, prop_name: 5 } }), "page", "prop_name")
    }))

  it.effect("extension: code adds props for the values of others, which a source then takes, interfaces included", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("additional")
      const id = yield* saved(client)
      const shown = yield* client.ok("POST", `/components/${id}/configure`, {
        configured_props: { region: "south", depth: 2 }
      })
      const names = Json.listOf(shown["configurable_props"]).map(({ name }) => name)
      assert.deepStrictEqual<unknown>(names.slice(-3), ["depth", "timer", "floor"])

      const create = (configured_props: unknown) =>
        client.send("POST", "/sources", { body: { component_id: id, configured_props } })
      assertInvalid(yield* create({ region: "south" }), "configured_props.depth")
      assertInvalid(yield* create({ region: "north", depth: 2 }), "configured_props.depth")
      assertInvalid(yield* create({ region: "south", depth: 0 }), "configured_props.depth")
      assertInvalid(yield* create({ region: "south", depth: 2 }), "configured_props.floor")
      assertProblem(yield* create({ region: "void" }), 422, "hook_failed")
      const source = (yield* create({ region: "south", depth: 2, floor: "first" })).json["data"]!
      Json.assertHolds(source["configured_props"]!, {
        region: "south",
        depth: 2,
        floor: "first",
        timer: { cron: null, interval_seconds: 3600 }
      })
      const at = `/sources/${Json.textOf(source["id"])}`
      assert.deepStrictEqual(
        yield* client.ok("GET", at).pipe(Effect.map((_) => _["configured_props"])),
        source["configured_props"]
      )
      yield* Effect.promise(() =>
        fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), { method: "POST" })
      )
      const [summary] = yield* client.listed(`${at}/event_summaries?expand=event`, 1)
      assert.deepStrictEqual<unknown>(summary!["event"]!["raw_event"], { depth: 2, floor: "first" })

      const changed = yield* client.ok("PUT", at, { configured_props: { region: "north" } })
      assert.doesNotHaveAnyKeys(changed["configured_props"], ["depth", "floor", "timer"])
    }))

  it.effect("extension: code may change the props it declares, so that one is needed only for some values of others", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("changing")
      const sink = yield* WebhookSink.make(() => ({ status: 200, body: "hello" }))
      const component_code = `export default {
        props: {
          http: "$.interface.http",
          scope: { type: "string", default: "mine", reloadProps: true },
          team: { type: "string", async options() { return [] } },
          db: "$.service.db"
        },
        additionalProps(props) {
          if (this.db.get("x") !== undefined || this.scope === "down") throw new Error("the vendor is down")
          props.team.hidden = props.team.optional = this.scope === "mine"
          return { request: { type: "http_request", default: { url: ${JSON.stringify(sink.url)} } } }
        },
        async run() { this.$emit((await this.request.execute()).data) }
      }`
      const source = yield* client.ok("POST", "/sources", { component_code })
      assert.notProperty(source["configured_props"], "team")
      const at = `/sources/${Json.textOf(source["id"])}`
      const change = (configured_props: unknown) => client.send("PUT", at, { body: { configured_props } })
      assertInvalid(yield* change({ scope: "team" }), "configured_props.team")
      assert.strictEqual((yield* change({ scope: "team", team: "a" })).status, 200)
      yield* Effect.promise(() =>
        fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), { method: "POST" })
      )
      const [summary] = yield* client.listed(`${at}/event_summaries?expand=event`, 1)
      assert.strictEqual<unknown>(summary!["event"]!["raw_event"], "hello")

      const down = `${component_code.replace("\"down\"", "\"team\"")}\n`
      const sick = yield* client.ok("POST", "/sources", { component_code: down })
      const body = { name: "Renamed", active: false }
      assert.strictEqual((yield* client.send("PUT", `/sources/${Json.textOf(sick["id"])}`, { body })).status, 200)
    }))

  it.effect("extension: an apphook's endpoint takes the events of its app that the component asks for", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("apphook")
      const component_code = `
        const chat = { type: "app", app: "chat", optional: true }
        export default {
          props: { chat, channels: "string[]", hook: { type: "$.interface.apphook", appProp: "chat",
            async eventNames() { return this.channels.map((id) => "message:" + id) } } },
          run(event) { this.$emit(event.text) }
        }`
      const source = yield* client.ok("POST", "/sources", {
        component_code,
        configured_props: { channels: ["C1", "C2"] }
      })
      const url = Json.textOf(source["configured_props"]!["hook"]!["endpoint_url"])
      const events = [
        { type: "message", channel: "C9", text: "elsewhere" },
        { type: "reaction", channel: "C1", text: "no message" },
        { type: "message", channel: { id: "C2" }, text: "second" },
        { type: "event_callback", team_id: "T1", event: { type: "message", channel: "C1", text: "first" } }
      ]
      for (const event of events) {
        const headers = { "content-type": "application/json" }
        const answer = yield* Effect.promise(() => fetch(url, { method: "POST", headers, body: JSON.stringify(event) }))
        assert.strictEqual(answer.status, 200)
      }
      const summaries = yield* client.listed(`/sources/${Json.textOf(source["id"])}/event_summaries?expand=event`, 2)
      assert.deepStrictEqual<unknown>(summaries.map((each) => each["event"]!["raw_event"]), ["first", "second"])
    }))

  it.effect("extension: an http_request prop is sent as it was put together", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("request")
      const sink = yield* WebhookSink.make((count) =>
        count === 0
          ? {
            status: 201,
            body: JSON.stringify({ id: 7 }),
            headers: { "content-type": "application/json", "x-request": "r1" }
          }
          : { status: 418, body: "no" }
      )
      const component_code = `
        export default {
          props: { http: "$.interface.http", request: "http_request" },
          async run() {
            const { data, headers, status, statusText } = await this.request.execute()
            this.$emit([data, status, statusText, headers["x-request"]])
            try { await this.request.execute({ method: "GET" }) } catch ({ code, message, response, status }) {
              this.$emit([message, code, status, response.status, response.data])
            }
          }
        }`
      const request = {
        method: "POST",
        url: sink.url,
        params: [{ name: "a", value: "b c" }, { name: "off", value: "1", disabled: true }],
        headers: [{ name: "X-Own", value: "yes" }],
        auth: { type: "bearer", token: "t" },
        body: { mode: "fields", contentType: "application/json", fields: [{ name: "n", value: "1" }] }
      }
      const source = yield* client.ok("POST", "/sources", { component_code, configured_props: { request } })
      const url = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      yield* Effect.promise(() => fetch(url, { method: "POST" }))
      const summaries = yield* client.listed(`/sources/${Json.textOf(source["id"])}/event_summaries?expand=event`, 2)
      assert.deepStrictEqual<unknown>(summaries.map((each) => each["event"]!["raw_event"]), [
        ["Request failed with status code 418", "ERR_BAD_REQUEST", 418, 418, "no"],
        [{ id: 7 }, 201, "Created", "r1"]
      ])
      const [sent] = sink.received
      assert.strictEqual(sent?.path, "/hook?a=b+c")
      assert.strictEqual(sent?.body, `{"n":"1"}`)
      assert.deepInclude(sent?.headers, {
        "x-own": "yes",
        authorization: "Bearer t",
        "content-type": "application/json"
      })
    }))
}
