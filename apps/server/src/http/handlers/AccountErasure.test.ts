import { assert, layer } from "@effect/vitest"
import { AccountErasure } from "@headwater/engine/AccountErasure"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Journals } from "@headwater/log/logs/Journals"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const storing = `export default {
  props: { http: "$.interface.http", db: "$.service.db", timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } },
  dedupe: "unique",
  run(event) {
    this.db.set("last", event.body ?? "tick")
    this.$emit(event.body ?? "tick", { id: "one" })
  }
}`

const workflow_code = `export default {
  steps: {
    ask: { run({ $ }) { $.send.http({ method: "POST", url: "http://127.0.0.1:9/" }); $.flow.delay(3_600_000) } },
    go: { run() {} }
  }
}`

layer(Http.layer, { excludeTestServices: true })("an account that is deleted", (it) => {
  /** An account with something in every table. */
  const furnished = Effect.gen(function*() {
    const http = yield* Http.tenant()
    const sink = yield* WebhookSink.make(() => ({ status: 500 }))
    yield* http.created("/v1/components", { component_code: Http.code("feed") })
    const project = yield* http.created("/v1/projects", { name: "Shop" })
    yield* http.created("/v1/couriers", { files: true })
    yield* http.request("PUT", "/v1/environment_variables/SHOP", { body: { value: "v", project_id: project.id } })
    yield* http.request("PUT", "/v1/imports/moved", { body: { report: { workflows: [], findings: [] } } })
    const source = yield* http.created("/v1/sources", { component_code: storing, project_id: project.id })
    const webhook = yield* http.created("/v1/webhooks", { url: sink.url })
    yield* http.created("/v1/subscriptions", { emitter_id: "dc_*", listener_id: webhook.id })
    yield* http.created("/v1/subscriptions", { emitter_id: http.accountId, listener_id: webhook.id })
    yield* http.created("/v1/auto_subscriptions", { listener_id: webhook.id })
    yield* http.created("/v1/accounts", { app: "shop", credentials: { key: "k" } })
    yield* http.request("POST", "/v1/users/me/keys", { headers: { "idempotency-key": "a" } })
    yield* http.request("POST", "/v1/session", { key: null, body: { api_key: http.key } })
    yield* http.summaries("/v1/audit?operation=session.create", 1)
    const workflow = yield* http.created("/v1/workflows", { workflow_code })
    yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`)
    yield* http.summaries(`/v1/workflows/${workflow.id}/runs?status=waiting`, 1)
    yield* http.request("POST", Http.endpointOf(source), { body: "a" })
    yield* http.summaries(`/v1/sources/${source.id}/event_summaries`, 1)
    yield* Effect.sync(() => sink.received.length).pipe(
      Effect.repeat({ until: (count) => count >= 1, schedule: Schedule.spaced("10 millis") }),
      Effect.timeout("60 seconds")
    )
    return { http, ids: [http.accountId, source.id, webhook.id, workflow.id, project.id] }
  })

  /** The tables that have a row which names one of these. */
  const tracesOf = Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY name`
    const found: Array<string> = []
    for (const { name } of tables) {
      for (const id of ids) {
        const rows = yield* sql`SELECT 1 FROM ${sql(name)} AS t WHERE t::text LIKE ${`%${id}%`} LIMIT 1`
        if (rows.length > 0) found.push(name)
      }
    }
    return [...new Set(found)]
  })

  it.effect("leaves nothing in any table, while its neighbour has everything", () =>
    Effect.gen(function*() {
      const { http, ids } = yield* furnished
      const neighbour = yield* furnished
      const { fold } = yield* Journals
      yield* fold
      const before = yield* tracesOf(ids)
      for (
        const table of [
          "accounts",
          "api_keys",
          "app_accounts",
          "audit_log",
          "auto_subscriptions",
          "components",
          "couriers",
          "cursors_folded",
          "dedupe_marks",
          "deliveries",
          "deployments",
          "due_work",
          "environments",
          "events",
          "fences",
          "heads_folded",
          "idempotency_keys",
          "import_reports",
          "program_state_folded",
          "programs",
          "projects",
          "sessions",
          "subscriptions",
          "usage_folded",
          "webhooks",
          "workflow_runs"
        ]
      ) assert.include(before, table)
      yield* (yield* AccountErasure).erase(http.accountId)
      assert.deepStrictEqual(yield* tracesOf(ids), [])
      yield* http.request("GET", "/v1/users/me").pipe(
        Effect.repeat({ until: ({ status }) => status === 401, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds")
      )
      yield* fold
      // Figures are written now and then.
      const kept = (tables: ReadonlyArray<string>) => tables.filter((name) => !name.startsWith("figures_"))
      assert.deepStrictEqual(kept(yield* tracesOf(neighbour.ids)), kept(before))
      const own = yield* neighbour.http.request("GET", "/v1/users/me/sources")
      assert.strictEqual(Json.listOf(own.json["data"]).length, 1)
    }))
})
