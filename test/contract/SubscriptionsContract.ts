import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import {
  assertInvalid,
  assertProblem,
  assertRecent,
  type Client,
  code,
  ContractServer,
  emitting,
  type It
} from "./ContractServer.ts"

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const source = (client: Client, component_code = emitting) => client.ok("POST", "/sources", { component_code })

const webhook = (client: Client, url = "http://127.0.0.1:9/") =>
  Effect.map(client.ok("POST", `/webhooks?url=${encodeURIComponent(url)}`), idOf)

const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()

const listed = (client: Client) => Effect.map(client.listed("/users/me/subscriptions", 0), (all) => all.map(idOf))

/** rest-api.md, "Subscriptions". */
export const rows = (it: It): void => {
  it.effect("POST /subscriptions takes its parameters from the query and answers 200 with the subscription", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const emitter_id = idOf(yield* source(ann))
      const listener_id = yield* webhook(ann)
      const plain = yield* ann.ok("POST", `/subscriptions?${query({ emitter_id, listener_id })}`)
      assert.hasAllKeys(plain, ["id", "emitter_id", "listener_id", "event_name"])
      assert.match(idOf(plain), /^sub_/)
      Json.assertHolds(plain, { emitter_id, listener_id, event_name: "" })
      const again = yield* ann.ok("POST", `/subscriptions/?${query({ emitter_id, listener_id, event_name: "" })}`)
      assert.deepStrictEqual(again, plain)
      const sameStream = yield* ann.ok(
        "POST",
        `/subscriptions?${query({ emitter_id, listener_id, event_name: "default" })}`
      )
      assert.deepStrictEqual(sameStream, plain)
      for (const event_name of ["$errors", "$logs", "own stream"]) {
        const named = yield* ann.ok("POST", `/subscriptions?${query({ emitter_id, listener_id, event_name })}`)
        Json.assertHolds(named, { emitter_id, listener_id, event_name })
      }
      const inBody = yield* ann.ok("POST", "/subscriptions", { emitter_id, listener_id, event_name: "$errors" })
      assert.include(yield* listed(ann), idOf(inBody))
    }))

  it.effect("POST /subscriptions names what is missing or malformed", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const id = idOf(yield* source(ann))
      for (const method of ["POST", "DELETE"]) {
        assertInvalid(yield* ann.send(method, "/subscriptions"), "emitter_id", "listener_id")
        assertInvalid(yield* ann.send(method, `/subscriptions?emitter_id=${id}`), "listener_id")
        assertInvalid(yield* ann.send(method, "/subscriptions?emitter_id=&listener_id=x"), "emitter_id")
        assertInvalid(
          yield* ann.send(method, "/subscriptions", { body: { emitter_id: 1, listener_id: [] } }),
          "emitter_id",
          "listener_id"
        )
        const long = query({ emitter_id: id, listener_id: id, event_name: "x".repeat(201) })
        assertInvalid(yield* ann.send(method, `/subscriptions?${long}`), "event_name")
        const internal = query({ emitter_id: id, listener_id: id, event_name: "$requests" })
        assertInvalid(yield* ann.send(method, `/subscriptions?${internal}`), "event_name")
      }
      const from = query({ emitter_id: id, listener_id: id, from: "yesterday" })
      assertInvalid(yield* ann.send("POST", `/subscriptions?${from}`), "from")
    }))

  it.effect("POST /subscriptions refuses emitters and listeners that the account does not have", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const own = idOf(yield* source(ann))
      const listener_id = yield* webhook(ann)
      const foreign = [idOf(yield* source(bob)), yield* webhook(bob)]
      for (
        const unknown of [...foreign, "dc_0Uz7Me6SAe7TzXw9LrNf", "wh_0Uz7MtBwGh3VyUc8PqJk", "p_0Uz7N0zoHs9PzYd3NwKc"]
      ) {
        for (const parameters of [{ emitter_id: unknown, listener_id }, { emitter_id: own, listener_id: unknown }]) {
          assertProblem(yield* ann.send("POST", `/subscriptions?${query(parameters)}`), 404, "not_found")
        }
      }
    }))

  it.effect("extension: POST /subscriptions/preview says which of the last events would be delivered, and where", () =>
    Effect.gen(function*() {
      const { ann, bob, fresh } = yield* ContractServer
      const client = yield* fresh("previews")
      const url = "http://127.0.0.1:9/preview"
      const listener_id = yield* webhook(client, url)
      const emitter = yield* source(client)
      const other = yield* source(client)
      for (const one of [emitter, other]) {
        const endpoint = Json.textOf(one["configured_props"]!["http"]!["endpoint_url"])
        yield* Effect.promise(() =>
          fetch(endpoint, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ count: 2 })
          })
        )
        yield* client.listed(`/sources/${idOf(one)}/event_summaries`, 2)
      }
      const preview = (parameters: Record<string, string>) =>
        client.ok("POST", `/subscriptions/preview?${query({ listener_id, ...parameters })}`)
      const whole = yield* preview({ emitter_id: "dc_*" })
      Json.assertHolds(whole, { listener_id, url })
      const places = (json: Json.Json) => Json.listOf(json["events"]).map((one) => [one["emitter_id"], one["reason"]])
      assert.deepStrictEqual<unknown>(places(whole), [
        [idOf(other), null],
        [idOf(other), null],
        [idOf(emitter), null],
        [idOf(emitter), null]
      ])
      assert.deepStrictEqual<unknown>(places(yield* preview({ emitter_id: idOf(emitter), event_name: "$errors" })), [
        [idOf(emitter), "other_stream"],
        [idOf(emitter), "other_stream"]
      ])
      assert.strictEqual(places(yield* preview({ emitter_id: "dc_*", limit: "3" })).length, 3)
      assert.deepStrictEqual(yield* listed(client), [])
      assertInvalid(yield* ann.send("POST", "/subscriptions/preview"), "emitter_id", "listener_id")
      assertInvalid(yield* ann.send("POST", `/subscriptions/preview?${query({ limit: "101" })}`), "limit")
      const foreign = query({ emitter_id: "dc_*", listener_id })
      assertProblem(yield* bob.send("POST", `/subscriptions/preview?${foreign}`), 404, "not_found")
    }))

  it.effect("extension: PUT /subscriptions changes the filter, which POST, its preview and the list take and show", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const emitter_id = idOf(yield* source(ann))
      const parameters = { emitter_id, listener_id: yield* webhook(ann) }
      const filter = { data: { amount: { $gt: 5 } } }
      const made = yield* ann.ok("POST", "/subscriptions", { ...parameters, filter })
      Json.assertHolds(made, { filter })
      const changed = yield* ann.ok("PUT", `/subscriptions?${query(parameters)}`, { filter: { type: "order" } })
      Json.assertHolds(changed, { id: idOf(made), filter: { type: "order" } })
      assert.deepStrictEqual(yield* ann.ok("PUT", `/subscriptions?${query(parameters)}`), changed)
      assert.notProperty(yield* ann.ok("PUT", "/subscriptions", { ...parameters, filter: null }), "filter")
      const malformed = { body: { ...parameters, filter: { data: { amount: { $gt: null } } } } }
      for (const [method, path] of [["POST", ""], ["PUT", ""], ["POST", "/preview"]] as const) {
        assertInvalid(yield* ann.send(method, `/subscriptions${path}`, malformed), "filter.data.amount.$gt")
      }
      assertProblem(yield* bob.send("PUT", `/subscriptions?${query(parameters)}`), 404, "not_found")
      assertInvalid(yield* ann.send("PUT", "/subscriptions"), "emitter_id", "listener_id")
    }))

  it.effect("a source of however long a name is found by its slug wherever one is taken", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const listener_id = yield* webhook(ann)
      const named = (name: string) => ann.ok("POST", "/sources", { component_code: emitting, name })
      const first = yield* named("x".repeat(1_000))
      // The second has a suffix, and the third is two characters for each one in lower case.
      for (const name of ["x".repeat(1_000), "\u0130".repeat(1_000)]) {
        const { id, name_slug } = yield* named(name)
        const emitter_id = Json.textOf(name_slug)
        assert.notStrictEqual(emitter_id, Json.textOf(first["name_slug"]))
        const parameters = query({ emitter_id, listener_id })
        const answers = [
          yield* ann.send("POST", `/subscriptions/preview?${parameters}`),
          yield* ann.send("POST", `/subscriptions?${parameters}`),
          yield* ann.send("DELETE", `/subscriptions?${parameters}`),
          yield* ann.send("GET", `/sources/${emitter_id}/event_summaries`),
          yield* ann.send("GET", `/sources/${emitter_id}`)
        ]
        assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 204, 200, 200])
        Json.assertHolds(answers[4]!.json["data"], { id, name_slug })
      }
    }))

  it.effect("emitter_id takes a glob: p_* and dc_* match what there is and what comes later", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("globs")
      const sink = yield* WebhookSink.make()
      const listener_id = yield* webhook(client, sink.url)
      const first = yield* source(client)
      for (const emitter_id of ["p_*", "dc_*"]) {
        const subscription = yield* client.ok("POST", `/subscriptions?${query({ emitter_id, listener_id })}`)
        Json.assertHolds(subscription, { emitter_id, listener_id, event_name: "" })
      }
      const second = yield* source(client)
      for (const emitter of [first, second]) {
        const endpoint = Json.textOf(emitter["configured_props"]!["http"]!["endpoint_url"])
        yield* Effect.promise(() =>
          fetch(endpoint, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ emit: idOf(emitter) })
          })
        )
      }
      yield* Effect.sync(() => sink.received.length).pipe(
        Effect.repeat({ until: (count) => count >= 2, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
      assert.sameMembers(sink.received.map(({ body }) => JSON.parse(body)), [idOf(first), idOf(second)])
      const deleted = yield* client.send("DELETE", `/subscriptions?${query({ emitter_id: "p_*", listener_id })}`)
      assert.strictEqual(deleted.status, 204)
    }))

  it.effect("events go to each of several listeners, from each of several emitters, with or without a workflow", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const sinks = [yield* WebhookSink.make(), yield* WebhookSink.make()]
      const emitters = [yield* source(ann), yield* source(ann)]
      for (const sink of sinks) {
        const listener_id = yield* webhook(ann, sink.url)
        for (const emitter of emitters) {
          yield* ann.ok("POST", `/subscriptions?${query({ emitter_id: idOf(emitter), listener_id })}`)
        }
      }
      for (const [n, emitter] of emitters.entries()) {
        const endpoint = Json.textOf(emitter["configured_props"]!["http"]!["endpoint_url"])
        const body = JSON.stringify({ emit: { n } })
        yield* Effect.promise(() =>
          fetch(endpoint, { method: "POST", headers: { "content-type": "application/json" }, body })
        )
      }
      for (const sink of sinks) {
        yield* Effect.sync(() => sink.received.length).pipe(
          Effect.repeat({ until: (count) => count >= 2, schedule: Schedule.spaced("20 millis") }),
          Effect.timeout("60 seconds")
        )
        assert.sameDeepMembers(sink.received.map(({ body }) => JSON.parse(body)), [{ n: 0 }, { n: 1 }])
      }
    }))

  it.effect("DELETE /subscriptions takes the parameters of the creation, event_name empty for the default stream", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const emitter_id = idOf(yield* source(ann))
      const listener_id = yield* webhook(ann)
      const parameters = { emitter_id, listener_id }
      const plain = yield* ann.ok("POST", `/subscriptions?${query(parameters)}`)
      const named = yield* ann.ok("POST", `/subscriptions?${query({ ...parameters, event_name: "$errors" })}`)
      const remove = (given: Record<string, string>, client = ann) =>
        client.send("DELETE", `/subscriptions?${query(given)}`)
      assertProblem(yield* remove({ ...parameters, event_name: "" }, bob), 404, "not_found")
      assertProblem(yield* remove({ ...parameters, event_name: "$logs" }), 404, "not_found")
      const deleted = yield* remove({ ...parameters, event_name: "" })
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      assertProblem(yield* remove({ ...parameters, event_name: "" }), 404, "not_found")
      const left = yield* listed(ann)
      assert.notInclude(left, idOf(plain))
      assert.include(left, idOf(named))
      const inBody = yield* ann.send("DELETE", "/subscriptions/", { body: { ...parameters, event_name: "$errors" } })
      assert.strictEqual(inBody.status, 204)
      assert.notInclude(yield* listed(ann), idOf(named))
    }))

  it.effect("GET /users/me/subscriptions answers with all of them, newest first, without page_info", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("subscriber")
      const emitter_id = idOf(yield* source(client))
      const ids: Array<string> = []
      for (let n = 0; n < 12; n++) {
        const listener_id = yield* webhook(client)
        ids.unshift(idOf(yield* client.ok("POST", `/subscriptions?${query({ emitter_id, listener_id })}`)))
      }
      const { json } = yield* client.send("GET", "/users/me/subscriptions/")
      assert.hasAllKeys(json, ["data"])
      assert.deepStrictEqual(Json.listOf(json["data"]).map(idOf), ids)
      const some = yield* client.send("GET", "/users/me/subscriptions?include=id")
      assert.deepStrictEqual<unknown>(Json.listOf(some.json["data"])[0], { id: ids[0] })
    }))

  it.effect("POST /auto_subscriptions subscribes to sources created after it, and to none from before", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("auto")
      const before = idOf(yield* source(client))
      const listener_id = yield* webhook(client)
      const auto = yield* client.ok("POST", `/auto_subscriptions/?${query({ listener_id, event_name: "$errors" })}`)
      assert.hasAllKeys(auto, ["id", "listener_id", "event_name", "created_at"])
      Json.assertHolds(auto, { listener_id, event_name: "$errors" })
      assert.match(idOf(auto), /^as_/)
      assertRecent(auto["created_at"])
      const after = idOf(yield* source(client))
      const made = yield* client.listed("/users/me/subscriptions", 0)
      assert.deepStrictEqual(made.map(({ emitter_id }) => Json.textOf(emitter_id)), [after])
      assert.notInclude(made.map(({ emitter_id }) => Json.textOf(emitter_id)), before)
      Json.assertHolds(made[0], { listener_id, event_name: "$errors" })
      assert.deepStrictEqual(yield* client.listed("/users/me/auto_subscriptions", 0), [auto])
      assertProblem(yield* bob.send("DELETE", `/auto_subscriptions/${idOf(auto)}`), 404, "not_found")
      assert.strictEqual((yield* client.send("DELETE", `/auto_subscriptions/${idOf(auto)}`)).status, 204)
      assertProblem(yield* client.send("DELETE", `/auto_subscriptions/${idOf(auto)}`), 404, "not_found")
      yield* source(client, code("contract-unheard"))
      assert.lengthOf(yield* client.listed("/users/me/subscriptions", 0), 1)
      assertInvalid(yield* client.send("POST", "/auto_subscriptions"), "listener_id")
      assertInvalid(yield* client.send("POST", "/auto_subscriptions", { body: { event_name: 1 } }), "event_name")
      const foreign = yield* client.send("POST", `/auto_subscriptions?listener_id=${yield* webhook(bob)}`)
      assertProblem(foreign, 404, "not_found")
    }))
}
