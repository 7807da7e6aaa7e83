import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Layer } from "effect"
import * as ClusterLoad from "./ClusterLoad.ts"
import { deploy, node, nodeOf, pathOf, until } from "./ClusterNodes.ts"
import * as FormerVersion from "./FormerVersion.ts"

const delayed = `
export default {
  steps: {
    first: { run({ $ }) { $.flow.delay(10_000) } },
    second: { run({ steps, $ }) { $.send.emit(steps.trigger.event) } }
  }
}`

const idOf = (of: Json.Json) => Json.textOf(of["id"])

type Node = Effect.Success<typeof node>

const silent = `
export default {
  props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) }
}`

/** What one node makes, all others change, and the last of them removes. */
const ownersOf = Effect.fnUntraced(function*(maker: Node, nodes: ReadonlyArray<Node>) {
  const sink = yield* WebhookSink.make()
  const source = yield* deploy(maker, silent)
  const webhook = (yield* maker.api("POST", "/webhooks", { url: sink.url }))["data"]!
  const workflow = (yield* maker.api("POST", "/workflows", { workflow_code: delayed }))["data"]!
  const consumer = (yield* maker.api("POST", "/consumers", { emitter_id: idOf(source) }))["data"]!
  const subscription = { emitter_id: idOf(source), listener_id: idOf(webhook) }
  const toWorkflow = { emitter_id: idOf(source), listener_id: idOf(workflow) }
  for (const [index, { api, url }] of nodes.entries()) {
    yield* api("PUT", `/sources/${idOf(source)}`, { name: `by ${index}` })
    yield* api("POST", "/subscriptions", subscription)
    yield* api("POST", "/subscriptions", toWorkflow)
    yield* api("PUT", "/subscriptions", { ...subscription, filter: { index } })
    yield* Effect.promise(() =>
      fetch(url + pathOf(source), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ index })
      })
    )
    const { data, lease, positions } = yield* api("GET", `/consumers/${idOf(consumer)}/events?wait=60`)
    assert.deepStrictEqual<unknown>(Json.listOf(data).map(({ event }) => event!["raw_event"]), [{ index }])
    yield* api("POST", `/consumers/${idOf(consumer)}/commit`, { lease: idOf(lease!), positions, release: true })
    yield* until(
      "the event is delivered",
      60,
      Effect.sync(() => sink.received.at(-1)?.body === JSON.stringify({ index }))
    )
    const run = yield* api("POST", `/workflows/${idOf(workflow)}/invocations`, { event: index })
    yield* until(
      "the run waits",
      60,
      Effect.map(
        api("GET", `/workflows/${idOf(workflow)}/runs`),
        ({ data }) =>
          Json.listOf(data).some(({ id, status }) => id === run["data"]!["id"] && Json.textOf(status) === "waiting")
      )
    )
    yield* api("POST", `/workflows/${idOf(workflow)}/runs/${idOf(run["data"]!)}/cancel`)
    yield* api("POST", `/webhooks/${idOf(webhook)}/test`, { payload: { index } })
    assert.strictEqual(sink.received.at(-1)?.headers["x-headwater-test"], "true")
    yield* api("POST", `/webhooks/${idOf(webhook)}/pause`)
    yield* api("POST", `/webhooks/${idOf(webhook)}/resume`, { from: "now" })
    yield* api("DELETE", "/subscriptions", toWorkflow)
    yield* api("DELETE", `/sources/${idOf(source)}/events`)
  }
  const { api } = nodes.at(-1)!
  yield* api("POST", `/consumers/${idOf(consumer)}/seek`, { to: "end" })
  for (const path of [`/webhooks/${idOf(webhook)}`, `/consumers/${idOf(consumer)}`, `/workflows/${idOf(workflow)}`]) {
    yield* api("DELETE", path)
  }
  yield* api("DELETE", `/sources/${idOf(source)}`)
})

/** What a node says of itself while it is not to be sent requests is what a balancer goes by. */
const isReady = ({ url }: Node) => Effect.promise(() => fetch(`${url}/readyz`).then(({ ok }) => ok, () => false))

layer(Accounting.layer.pipe(Layer.provideMerge(TestDatabase.layerEmpty)), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("two nodes", (it) => {
  it.effect(
    "are upgraded one after the other under load, and nothing is lost, doubled or reordered",
    () =>
      Effect.gen(function*() {
        const former = yield* FormerVersion.beside
        const [first, second] = [yield* nodeOf(former), yield* nodeOf(former)]
        yield* first.start
        yield* second.start
        const nodes: Array<Node> = [first, second]
        let turn = 0
        const next = () => nodes[++turn % nodes.length]!

        const sources = yield* Effect.forEach(Array.from({ length: 6 }), () => deploy(next(), ClusterLoad.emitter))
        const listener = yield* deploy(first, ClusterLoad.ledger)
        const sink = yield* WebhookSink.make()
        const webhook = (yield* first.api("POST", "/webhooks", { url: sink.url }))["data"]!
        const subscribe = (emitter: Json.Json, hearing: Json.Json) =>
          next().api("POST", "/subscriptions", { emitter_id: idOf(emitter), listener_id: idOf(hearing) })
        yield* Effect.forEach(sources, (source) =>
          Effect.andThen(subscribe(source, listener), subscribe(source, webhook)))
        yield* subscribe(listener, webhook)
        const workflows = yield* Effect.forEach(
          Array.from({ length: 4 }),
          () =>
            Effect.map(second.api("POST", "/workflows", { workflow_code: delayed }), ({ data }) => data!)
        )
        yield* Effect.forEach(
          workflows,
          (workflow) => next().api("POST", `/workflows/${idOf(workflow)}/invocations`, { event: "once" })
        )

        /** Each node asks owners on all nodes for all that they do, so that it is said in both directions. */
        const owners = Effect.forEach(nodes, (maker) => ownersOf(maker, nodes), { concurrency: "unbounded" })

        const { acknowledged, end, goesOn } = yield* ClusterLoad.begin(sources, () => next().url)
        yield* goesOn("the nodes of the version before take requests")
        for (const leaving of [first, second]) {
          const joining = yield* node
          yield* joining.start
          yield* until("the new node is ready", 60, isReady(joining))
          nodes.push(joining)
          yield* goesOn("old and new nodes take requests")
          yield* owners
          nodes.splice(nodes.indexOf(leaving), 1)
          assert.strictEqual(yield* leaving.stop, 0)
          yield* goesOn("the others have taken over what it had")
        }
        yield* owners
        // The database allows the version before as long as its schema is no newer.
        yield* first.start
        yield* until("a node of the version before is ready again", 60, isReady(first))
        yield* goesOn("it takes requests with the new ones")
        assert.strictEqual(yield* first.stop, 0)
        yield* end
        yield* ClusterLoad.check({ sources, acknowledged, listener, sink })
        yield* until(
          "the runs that waited have ended",
          60,
          Effect.map(
            Effect.forEach(
              workflows,
              (workflow) =>
                Effect.map(nodes[0]!.api("GET", `/workflows/${idOf(workflow)}/events`), ({ data }) =>
                  Json.listOf(data).length)
            ),
            (counts) =>
              counts.every((count) =>
                count === 1
              )
          )
        )
      }),
    480_000
  )
})
