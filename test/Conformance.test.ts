import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as TestCertificate from "@headwater/fixtures/TestCertificate"
import { Context, Effect, Layer, Schedule } from "effect"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import type { TestContext } from "vitest"
import * as GitLab from "./conformance/GitLab.ts"
import * as TlsPostgres from "./conformance/TlsPostgres.ts"
import * as ServerProcess from "./ServerProcess.ts"

class Server extends Context.Service<Server, ServerProcess.ServerProcess>()("headwater/test/ConformanceServer") {
  static readonly layer = Layer.effect(
    Server,
    Effect.gen(function*() {
      const directory = yield* TemporaryDirectory.make("conformance")
      const extraCa = join(directory, "authority.pem")
      yield* Effect.promise(() => Fs.writeFile(extraCa, TestCertificate.authority))
      const server = yield* ServerProcess.makeIn(join(directory, "data"))
      yield* server.startWith({ HEADWATER_EXTRA_CA: extraCa, ...ServerProcess.registrySettings })
      return server
    })
  )
}

/** A component of a package, saved. Where the package can't be fetched, the test ends here and says so. */
const component = Effect.fnUntraced(function*(test: TestContext, path: string) {
  const { api } = yield* Server
  const saved = yield* api("POST", "/components", { component_url: `npm:@pipedream/${path}` }).pipe(
    Effect.catchIf(
      ({ message }) => /: 503 .*npm packages/.test(message),
      ({ message }) => Effect.sync(() => test.skip(`@pipedream/${path} can't be fetched: ${message}`))
    )
  )
  return Json.textOf(saved["data"]!["id"])
})

const account = Effect.fnUntraced(function*(app: string, credentials: Record<string, unknown>) {
  const { api } = yield* Server
  const created = yield* api("POST", "/accounts", { app, credentials })
  return { authProvisionId: Json.textOf(created["data"]!["id"]) }
})

const source = Effect.fnUntraced(function*(component_id: string, configured_props: Record<string, unknown>) {
  const { api } = yield* Server
  const created = (yield* api("POST", "/sources", { component_id, configured_props }))["data"]!
  return { id: Json.textOf(created["id"]), props: created["configured_props"]! }
})

/** The events of a source, oldest first, once there are so many. What its code threw is told in their place. */
const events = Effect.fnUntraced(function*(id: string, atLeast: number) {
  const { api } = yield* Server
  const list = (path: string) =>
    Effect.map(
      api("GET", `/sources/${id}/${path}event_summaries?expand=event`),
      ({ data }) => Json.listOf(data).toReversed()
    )
  const found = yield* list("").pipe(
    Effect.repeat({ until: (each) => each.length >= atLeast, schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutOption("60 seconds")
  )
  if (found._tag === "None") return assert.fail(JSON.stringify(yield* list("$errors/")))
  return found.value.map((each) => ({ event: each["event"]!["raw_event"]!, metadata: each["metadata"]! }))
})

const post = (url: Json.Json | undefined, body: unknown, headers: Record<string, string> = {}) =>
  Effect.promise(() =>
    fetch(Json.textOf(url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
  )

layer(Server.layer, { excludeTestServices: true })("components as they are published", (it) => {
  it.effect("@pipedream/gitlab, new issue: adds a hook, checks its token, emits, and takes the hook away", (test) =>
    Effect.gen(function*() {
      const { api } = yield* Server
      const gitlabServer = yield* GitLab.make
      const id = yield* component(test, "gitlab/sources/new-issue/new-issue.mjs")
      const gitlab = yield* account("gitlab", { base_api_url: gitlabServer.host, oauth_access_token: "token" })
      const offered = yield* api("POST", `/components/${id}/configure`, {
        prop_name: "projectId",
        configured_props: { gitlab }
      })
      assert.deepStrictEqual<unknown>(offered["data"], { options: [{ label: "ann/orders", value: 7 }] })
      const created = yield* source(id, { gitlab, projectId: 7 })
      const [hook] = gitlabServer.hooks.values()
      const url = created.props["http"]!["endpoint_url"]
      assert.deepInclude(hook, { issues_events: true, url })

      const issue = (iid: number, previous: string | null) => ({
        user: { name: "Ann", username: "ann" },
        object_attributes: { id: 100 + iid, iid, created_at: "2026-01-02T03:04:05Z", title: "Late" },
        changes: { updated_at: { previous } }
      })
      const headers = { "x-gitlab-token": String(hook?.["token"]) }
      assert.strictEqual((yield* post(url, issue(1, null), { "x-gitlab-token": "forged" })).status, 404)
      for (const each of [issue(2, null), issue(2, null), issue(3, "2026-01-02"), issue(4, null)]) {
        assert.strictEqual((yield* post(url, each, headers)).status, 200)
      }
      const emitted = yield* events(created.id, 2)
      assert.deepStrictEqual<unknown>(emitted.map(({ metadata }) => metadata["summary"]), [
        "New issue by Ann (ann): #2 Late",
        "New issue by Ann (ann): #4 Late"
      ])
      yield* api("DELETE", `/sources/${created.id}`)
      assert.strictEqual(gitlabServer.hooks.size, 0)
    }))

  it.effect("@pipedream/gitlab, new project: polls, and emits what has come since, each once", (test) =>
    Effect.gen(function*() {
      const gitlabServer = yield* GitLab.make
      const id = yield* component(test, "gitlab/sources/new-project/new-project.mjs")
      const gitlab = yield* account("gitlab", { base_api_url: gitlabServer.host, oauth_access_token: "token" })
      const created = yield* source(id, { gitlab, timer: { intervalSeconds: 1 } })
      gitlabServer.addProject(8, "ann/returns")
      gitlabServer.addProject(9, "ann/stock")
      const emitted = yield* events(created.id, 2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event["id"]), [8, 9])
    }))

  it.effect("@pipedream/slack, new message in channels: takes its app's events by an apphook", (test) =>
    Effect.gen(function*() {
      const id = yield* component(test, "slack/sources/new-message-in-channels/new-message-in-channels.mjs")
      const slack = yield* account("slack", { oauth_access_token: "token" })
      const created = yield* source(id, { slack, conversations: ["C1"], ignoreBot: true })
      const message = { type: "message", channel: "C1", user: "U1", event_ts: "1767312000.000100" }
      const url = created.props["slackApphook"]!["endpoint_url"]
      for (
        const each of [
          { ...message, client_msg_id: "1", text: "first" },
          { ...message, client_msg_id: "2", text: "by a bot", bot_id: "B1" },
          { ...message, client_msg_id: "3", text: "elsewhere", channel: "C2" },
          { ...message, client_msg_id: "1", text: "again" },
          { ...message, client_msg_id: "4", text: "second" }
        ]
      ) {
        assert.strictEqual((yield* post(url, each)).status, 200)
      }
      const emitted = yield* events(created.id, 2)
      assert.deepStrictEqual<unknown>(emitted.map(({ event }) => event["text"]), ["first", "second"])
    }))

  it.effect("@pipedream/postgresql, new row: connects by TLS, emits the rows there are, then those that come", (test) =>
    Effect.gen(function*() {
      const { api } = yield* Server
      const database = yield* TlsPostgres.make
      yield* database.query("CREATE TABLE orders (id int PRIMARY KEY, total int)")
      yield* database.query("INSERT INTO orders VALUES (1, 10), (2, 20)")
      const id = yield* component(test, "postgresql/sources/new-row/new-row.mjs")
      const postgresql = yield* account("postgresql", database.credentials)
      const offered = yield* api("POST", `/components/${id}/configure`, {
        prop_name: "column",
        configured_props: { postgresql, schema: "public", table: "orders" }
      })
      assert.sameMembers(Json.listOf(offered["data"]!["options"]).map(String), ["id", "total"])
      const created = yield* source(id, {
        postgresql,
        schema: "public",
        table: "orders",
        timer: { intervalSeconds: 1 }
      })
      yield* events(created.id, 2)
      yield* database.query("INSERT INTO orders VALUES (3, 30)")
      const emitted = yield* events(created.id, 3)
      assert.deepStrictEqual<unknown>(emitted.at(-1)?.event, { id: 3, total: 30 })
    }))
})
