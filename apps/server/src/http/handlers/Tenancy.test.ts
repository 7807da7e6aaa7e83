import { assert, layer } from "@effect/vitest"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
}

const endpoints: ReadonlyArray<Endpoint> = (() => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(HeadwaterApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => found.push({ method, path })
  })
  return found
})()

/** What is the same for everybody. */
const shared: ReadonlySet<string> = new Set(["/v1/registry/components", "/v1/components/registry/:key"])

/** True of a request that makes what its path names: each account has its own of that name. */
const makesWhatItNames = (method: string, path: string): boolean =>
  method === "PUT" && /^\/v1\/(environment_variables|imports)\/:name$/.test(path)

const key = { key: "k" }

/** Requests whose form is checked before what their path names is looked for. */
const wellFormed: Readonly<Record<string, { readonly query?: string; readonly body?: unknown }>> = {
  "POST /v1/accounts/:id/complete_connection": { body: { confirmation: "x" } },
  "PUT /v1/data_stores/:id": { body: { name: "clients" } },
  "PUT /v1/projects/:id": { body: { name: "Web" } },
  "POST /v1/data_stores/:id/entries": { body: { entries: [{ ...key, value: 1 }] } },
  "GET /v1/data_stores/:id/entry": { query: "?key=k" },
  "PUT /v1/data_stores/:id/entry": { body: { ...key, value: 1 } },
  "DELETE /v1/data_stores/:id/entry": { query: "?key=k" }
}

/** One of everything, named alike in every account. */
const furnished = Effect.gen(function*() {
  const http = yield* Http.tenant()
  const component = yield* http.created("/v1/components", { component_code: Http.code("feed") })
  const source = yield* http.created("/v1/sources", { component_code: Http.httpCode("this.$emit(event.body)") })
  const webhook = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/" })
  const subscription = yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
  const auto = yield* http.created("/v1/auto_subscriptions", { listener_id: webhook.id, event_name: "$errors" })
  const key = yield* http.created("/v1/users/me/keys", { name: "deploy" })
  const workflow = yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode })
  yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`, { body: { event: http.accountId } })
  const [run] = yield* http.summaries(`/v1/workflows/${workflow.id}/runs?status=success`, 1)
  const consumer = yield* http.created("/v1/consumers", { emitter_id: source.id, start: "beginning" })
  const dataStore = yield* http.created("/v1/data_stores", { name: "customers" })
  yield* http.request("PUT", `/v1/data_stores/${dataStore.id}/entry`, { body: { key: "k", value: http.accountId } })
  const project = yield* http.created("/v1/projects", { name: "Shop" })
  const courier = yield* http.created("/v1/couriers", { stores: { ds_A1: "customers" }, project_id: project.id })
  const { json: file } = yield* http.request("PUT", "/v1/files/content?path=a", { raw: http.accountId })
  const appAccount = yield* http.created("/v1/accounts", { app: "shop", credentials: { key: "k" } })
  yield* http.request("POST", Http.endpointOf(source), { body: { told: `only to ${http.accountId}` } })
  const [event] = yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)
  const [delivery] = yield* http.summaries(`/v1/webhooks/${webhook.id}/deliveries`, 1)
  const { json: { data: bulk } } = yield* http.request("POST", "/v1/bulk_actions", {
    body: { action: "retry", filter: { webhook_id: webhook.id }, dry_run: true }
  })
  const variable = `OWN_${http.accountId}`
  yield* http.request("PUT", `/v1/environment_variables/${variable}`, { body: { value: "v" } })
  const imported = `OWN_${http.accountId}`
  yield* http.request("PUT", `/v1/imports/${imported}`, {
    body: { report: { workflows: [], findings: [] } }
  })
  const [audited] = yield* http.summaries("/v1/audit?operation=consumers.create", 1)
  // What it has counted changes until then.
  yield* Effect.repeat(http.request("GET", `/v1/bulk_actions/${Json.textOf(bulk!["id"])}`), {
    until: ({ json }) => Json.textOf(json["data"]!["state"]) === "done",
    schedule: Schedule.spaced("10 millis")
  })
  /** By the segment of a path that stands before the id. */
  const ids: Readonly<Record<string, string>> = {
    accounts: appAccount.id,
    audit: Json.textOf(audited!["id"]),
    auto_subscriptions: auto.id,
    bulk_actions: Json.textOf(bulk!["id"]),
    components: component.id,
    consumers: consumer.id,
    couriers: courier.id,
    data_stores: dataStore.id,
    deliveries: Json.textOf(delivery!["id"]),
    environment_variables: variable,
    events: Json.textOf(event!["id"]),
    files: Json.textOf(file["data"]!["id"]),
    imports: imported,
    keys: key.id,
    projects: project.id,
    run_books: source.id,
    sources: source.id,
    subscriptions: subscription.id,
    webhooks: webhook.id,
    // Nobody has one where the clock can't be moved.
    operations: `clk_${"1".repeat(20)}`,
    runs: Json.textOf(run!["id"]),
    workflows: workflow.id
  }
  return { ...http, source, webhook, workflow, subscription, ids }
})

/** The paths that differ in one id, which is another account's in the first and nobody's in the second. */
const pathsAcross = (path: string, own: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) => {
  const segments = path.split("/")
  const places = segments.flatMap((segment, index) => segment.startsWith(":") ? [index] : [])
  return places.map((place) => {
    const kind = segments[place - 1] ?? ""
    const foreign = other[kind]
    if (foreign === undefined) return assert.fail(`${path}: say in furnished() what id goes after ${kind}`)
    const unknown = nobodys(foreign)
    const at = (id: string) =>
      segments.map((segment, index) =>
        index === place ? id : segment.startsWith(":") ? own[segments[index - 1] ?? ""] ?? unknown : segment
      ).join("/")
    return { foreign, unknown, foreignPath: at(foreign), unknownPath: at(unknown) }
  })
}

const nobodys = (id: string): string =>
  id.includes("_") ? `${id.slice(0, id.indexOf("_") + 1)}${"0".repeat(8)}unknownThing` : "1000-1"

const assertAlike = (foreign: Http.Answer, foreignId: string, unknown: Http.Answer, unknownId: string) => {
  assert.strictEqual(foreign.status, unknown.status)
  assert.strictEqual(foreign.text.replaceAll(foreignId, "ID"), unknown.text.replaceAll(unknownId, "ID"))
  assert.strictEqual(foreign.headers.get("content-type"), unknown.headers.get("content-type"))
}

layer(Http.layer, { excludeTestServices: true })("the wall between accounts", (it) => {
  const everythingOf = (http: Effect.Success<typeof furnished>) =>
    Effect.forEach(
      [
        ...["sources", "webhooks", "subscriptions", "auto_subscriptions", "keys"].map((list) => `users/me/${list}`),
        "accounts",
        "users/me/settings?exclude=used",
        "consumers",
        "couriers",
        "data_stores",
        `data_stores/${http.ids["data_stores"]}/entries`,
        "projects",
        "environment_variables",
        "files",
        "imports",
        `environment_variables?program_id=${http.workflow.id}`,
        `consumers/${http.ids["consumers"]}/positions`,
        `webhooks/${http.webhook.id}/secret`,
        `components/${http.ids["components"]}`,
        "users/me/workflows",
        `sources/${http.source.id}/event_summaries`,
        `workflows/${http.workflow.id}/event_summaries`,
        `workflows/${http.workflow.id}/runs`,
        `deliveries/${http.ids["deliveries"]}`,
        `bulk_actions/${http.ids["bulk_actions"]}`
      ],
      (path) => Effect.map(http.request("GET", `/v1/${path}`), ({ json }) => json)
    )

  it.effect("takes an id of another account, in any path, as one that nobody has", () =>
    Effect.gen(function*() {
      const own = yield* furnished
      const other = yield* furnished
      const before = yield* everythingOf(other)
      const taken = endpoints.filter(({ path }) => path.includes("/:") && !shared.has(path))
        .filter(({ method, path }) => !makesWhatItNames(method, path))
      assert.isAbove(taken.length, 15)
      for (const { method, path } of taken) {
        const { query = "", body = {} } = wellFormed[`${method} ${path}`] ?? {}
        const sent = method === "PUT" || method === "POST" ? { body } : {}
        for (const { foreign, foreignPath, unknown, unknownPath } of pathsAcross(path, own.ids, other.ids)) {
          const answer = yield* own.request(method, foreignPath + query, sent)
          Http.assertProblem(answer, 404, "not_found")
          assertAlike(answer, foreign, yield* own.request(method, unknownPath + query, sent), unknown)
        }
      }
      assert.deepStrictEqual(yield* everythingOf(other), before)
    }))

  it.effect("takes an id of another account, in a body or a query, as one that nobody has", () =>
    Effect.gen(function*() {
      const own = yield* furnished
      const other = yield* furnished
      const before = yield* everythingOf(other)
      const bodies: ReadonlyArray<readonly [method: string, path: string, foreign: string, (id: string) => unknown]> = [
        ["POST", "/v1/sources", other.ids["components"]!, (id) => ({ component_id: id })],
        ["PUT", `/v1/sources/${own.source.id}`, other.ids["components"]!, (id) => ({ component_id: id })],
        [
          "POST",
          "/v1/subscriptions",
          other.source.id,
          (id) => ({ emitter_id: id, listener_id: own.webhook.id })
        ],
        ["POST", "/v1/subscriptions", other.accountId, (id) => ({ emitter_id: id, listener_id: own.webhook.id })],
        ["POST", "/v1/subscriptions", other.webhook.id, (id) => ({ emitter_id: own.source.id, listener_id: id })],
        ["POST", "/v1/subscriptions", other.source.id, (id) => ({ emitter_id: "dc_*", listener_id: id })],
        ["DELETE", "/v1/subscriptions", other.source.id, (id) => ({ emitter_id: id, listener_id: other.webhook.id })],
        ["DELETE", "/v1/subscriptions", other.webhook.id, (id) => ({ emitter_id: own.source.id, listener_id: id })],
        ["POST", "/v1/subscriptions", other.workflow.id, (id) => ({ emitter_id: "dc_*", listener_id: id })],
        ["POST", "/v1/consumers", other.source.id, (id) => ({ emitter_id: id })],
        [
          "POST",
          `/v1/consumers/${own.ids["consumers"]}/seek`,
          other.source.id,
          (id) => ({ to: "end", emitter_id: id })
        ],
        ["POST", "/v1/subscriptions", other.ids["consumers"]!, (id) => ({ emitter_id: "dc_*", listener_id: id })],
        ["POST", "/v1/auto_subscriptions", other.webhook.id, (id) => ({ listener_id: id, event_name: "" })],
        ["PUT", "/v1/environment_variables/A", other.workflow.id, (id) => ({ value: "v", program_id: id })],
        ["PUT", "/v1/environment_variables/A", other.ids["projects"]!, (id) => ({ value: "v", project_id: id })],
        ["PUT", `/v1/workflows/${own.workflow.id}`, other.ids["projects"]!, (id) => ({ project_id: id })],
        ["PUT", `/v1/sources/${own.source.id}`, other.ids["projects"]!, (id) => ({ project_id: id })],
        ["POST", "/v1/couriers", other.ids["data_stores"]!, (id) => ({ stores: { ds_A1: id } })],
        ["POST", "/v1/couriers", other.ids["projects"]!, (id) => ({ variables: ["A"], project_id: id })]
      ]
      for (const [method, path, foreign, bodyWith] of bodies) {
        const unknown = nobodys(foreign)
        const answer = yield* own.request(method, path, { body: bodyWith(foreign) })
        Http.assertProblem(answer, 404, "not_found")
        assertAlike(answer, foreign, yield* own.request(method, path, { body: bodyWith(unknown) }), unknown)
      }
      assert.deepStrictEqual(yield* everythingOf(other), before)
    }))

  it.effect("takes the path of a file of another account as one at which there is none", () =>
    Effect.gen(function*() {
      const own = yield* Http.tenant()
      const other = yield* Http.tenant()
      const content = (of: Http.Tenant, method: string, raw?: string) =>
        of.request(method, "/v1/files/content?path=a", raw === undefined ? {} : { raw })
      yield* content(other, "PUT", "theirs")
      for (const [method, at] of [["GET", "content"], ["DELETE", "content"], ["GET", "url"]] as const) {
        Http.assertProblem(yield* own.request(method, `/v1/files/${at}?path=a`), 404, "not_found")
      }
      yield* content(own, "PUT", "ours")
      assert.strictEqual((yield* content(other, "GET")).text, "theirs")
      yield* content(own, "DELETE")
      assert.strictEqual((yield* content(other, "GET")).text, "theirs")
    }))

  it.effect("shows in lists one's own alone, also beyond a cursor at another's item", () =>
    Effect.gen(function*() {
      const other = yield* furnished
      const own = yield* furnished
      const later = yield* furnished
      const lists = endpoints.filter(({ method, path }) =>
        method === "GET" && !path.includes("/:") && !shared.has(path) && !path.endsWith("/sse")
      )
      assert.isAbove(lists.length, 5)
      const deployment = Json.textOf(other.workflow["deployment_id"])
      for (
        const one of [`sources?component_id=${other.source.component_id}`, `workflows?deployment_id=${deployment}`]
      ) {
        Json.assertHolds((yield* own.request("GET", `/v1/users/me/${one}`)).json["page_info"], { total_count: 0 })
        Json.assertHolds((yield* other.request("GET", `/v1/users/me/${one}`)).json["page_info"], { total_count: 1 })
      }
      const theirs = [other, later].flatMap(({ accountId, ids, key }) => [accountId, key, ...Object.values(ids)])
      for (const { path } of lists) {
        const kind = path.slice(path.lastIndexOf("/") + 1)
        const { json, text } = yield* own.request("GET", `${path}?limit=100`)
        for (const id of theirs) assert.notInclude(text, id, path)
        if (!("page_info" in json)) continue
        const items = Json.listOf(json["data"]).map(({ id }) => Json.textOf(id))
        assert.include(items, own.ids[kind], path)
        if (kind === "events") {
          assert.isAbove(items.length, 1)
          const emitters = Json.listOf(json["data"]).map(({ metadata }) => Json.textOf(metadata!["emitter_id"]))
          assert.includeMembers([own.source.id, own.workflow.id, own.accountId], emitters)
          continue
        }
        if (!["audit", "bulk_actions", "consumers", "deliveries"].includes(kind)) {
          Json.assertHolds(json["page_info"], { total_count: items.length })
        }
        for (const parameter of ["after", "before"]) {
          for (const { ids } of [other, later]) {
            const cursor = Pagination.cursorOf(ids[kind] ?? "")
            const page = yield* own.request("GET", `${path}?limit=100&${parameter}=${cursor}`)
            const shown = Json.listOf(page.json["data"]).map(({ id }) => Json.textOf(id))
            const isBeyond = (id: string) => parameter === "after" ? id < ids[kind]! : id > ids[kind]!
            assert.deepStrictEqual(shown, items.filter(isBeyond), path)
          }
        }
      }
    }))

  it.effect("follows one's own logs alone, from their beginning too", () =>
    Effect.gen(function*() {
      const other = yield* furnished
      const own = yield* furnished
      const { address } = yield* HttpServer.HttpServer
      const followed = yield* Effect.promise(async (signal) => {
        const response = await fetch(`${HttpServer.formatAddress(address)}/v1/events/sse?after=0`, {
          headers: { authorization: `Bearer ${own.key}` },
          signal
        })
        let text = ""
        for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
          text += bytes
          if ([own.source.id, own.workflow.id, own.accountId].every((id) => text.includes(id))) return text
        }
        return text
      }).pipe(Effect.timeout("60 seconds"))
      for (const id of [other.accountId, other.key, ...Object.values(other.ids)]) assert.notInclude(followed, id)
    }))

  it.effect("finds one's own under a name or key that another account gave too", () =>
    Effect.gen(function*() {
      const other = yield* furnished
      const own = yield* furnished
      assert.strictEqual(own.source["name_slug"], other.source["name_slug"])
      const source = yield* own.request("GET", `/v1/sources/${Json.textOf(own.source["name_slug"])}`)
      assert.deepStrictEqual(Json.textOf(source.json["data"]!["id"]), own.source.id)
      const component = yield* own.request("GET", "/v1/components/feed")
      assert.deepStrictEqual(Json.textOf(component.json["data"]!["id"]), own.ids["components"])
    }))

  it.effect("keeps what another account emits from globs that match every id", () =>
    Effect.gen(function*() {
      const own = yield* furnished
      const before = yield* furnished
      const sink = yield* WebhookSink.make()
      const { id: listener } = yield* own.created("/v1/webhooks", { url: sink.url })
      for (const emitter_id of ["*", "dc_*"]) {
        yield* own.created("/v1/subscriptions", { emitter_id, listener_id: listener })
      }
      const consumer = yield* own.created("/v1/consumers", { emitter_id: "*" })
      const after = yield* furnished
      for (const [http, told] of [[before, "theirs"], [after, "theirs"], [own, "ours"]] as const) {
        yield* http.request("POST", Http.endpointOf(http.source), { body: { told } })
        yield* http.summaries(`/v1/sources/${http.source.id}/event_summaries`, 2)
      }
      yield* Effect.sync(() => sink.received.length).pipe(
        Effect.repeat({ until: (count) => count >= 2, schedule: Schedule.spaced("10 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.deepStrictEqual(sink.received.map(({ body }) => JSON.parse(body)), [{ told: "ours" }, { told: "ours" }])
      const read = yield* own.request("GET", `/v1/consumers/${consumer.id}/events?wait=10`)
      assert.deepStrictEqual(
        Json.listOf(read.json["data"]).map(({ event }) => JSON.stringify(event)),
        ["{\"raw_event\":{\"told\":\"ours\"}}"]
      )
      const sql = yield* SqlClient.SqlClient
      const across = yield* sql`
        SELECT c.emitter_id FROM cursors c
        JOIN subscriptions s ON s.id = c.subscription_id JOIN heads h ON h.emitter_id = c.emitter_id
        WHERE s.account_id <> h.account_id`
      assert.deepStrictEqual(across, [])
    }))
})
