import { assert, it } from "@effect/vitest"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { RunnerAddress, ShardingConfig } from "effect/cluster"
import { RpcSerialization, RpcServer } from "effect/rpc"
import type { IngestRequest, OnAnswered } from "../ground/ActorCalls.ts"
import { BacklogFull } from "../ground/HttpExchange.ts"
import * as Wake from "../ground/Wake.ts"
import { accepted } from "../program/ProgramRequests.ts"
import * as Crossing from "./Crossing.ts"
import type { Asked } from "./Link.ts"
import * as PeerSockets from "./PeerSockets.ts"

const until = (what: string, holds: () => boolean) =>
  Effect.sync(holds).pipe(
    Effect.repeat({ until: (held) => held, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.die(new Error(`not in time: ${what}`)) })
  )

/** A node that does with what others send what the test says. */
const node = Effect.fnUntraced(function*(host: string, port: number, here: ReadonlySet<string>) {
  const address = RunnerAddress.make(host, port)
  const taken: Array<{ readonly actorId: string; readonly request: IngestRequest; readonly end: OnAnswered }> = []
  const woken: Array<{ readonly actorId: string; readonly wake: Wake.Wake }> = []
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(
    RpcServer.layer(Crossing.Rpcs, { disableFatalDefects: true }).pipe(
      Layer.provide(Crossing.layerHandlers),
      Layer.provideMerge(Crossing.Crossing.layer),
      Layer.provide(RpcServer.layerProtocolSocketServer),
      Layer.provide([PeerSockets.layer(address), PeerSockets.layerClientProtocol]),
      Layer.provide(ShardingConfig.layer()),
      Layer.provide(RpcSerialization.layerSchemaBinary({ maxFrameSize: 64 * 1024 * 1024 })),
      Layer.fresh
    ),
    scope
  )
  const crossing = Context.get(context, Crossing.Crossing)
  yield* crossing.receive({
    ingest: (actorId, request, end) => {
      if (!here.has(actorId)) return false
      taken.push({ actorId, request, end })
      return true
    },
    wake: (actorId, wake) => void woken.push({ actorId, wake }),
    isHere: (actorId) => here.has(actorId),
    shardOf: (actorId) => Number(actorId.slice(3))
  }).pipe(Scope.provide(scope))
  return { address, crossing, here, stop: Scope.close(scope, Exit.void), taken, woken }
})

/** Two nodes, of which the first knows the actors `dc_1` to `dc_9` to be on the second, and has a link to it. */
const linked = Effect.gen(function*() {
  const directory = yield* TemporaryDirectory.make("crossing")
  const first = yield* node(directory, 1, new Set())
  const second = yield* node(directory, 2, new Set(["dc_1", "dc_2"]))
  for (let shard = 1; shard <= 9; shard++) first.crossing.note(shard, second.address)
  yield* until("a link is open", () => first.crossing.wake("dc_1", Wake.nothing))
  yield* until("the hint is there", () => second.woken.length === 1)
  second.woken.length = 0
  return { first, second }
})

const requestOf = (emitId: string): IngestRequest => ({
  endpointKey: "key",
  emitId,
  hops: 2,
  payload: `{"text":"ü\\ud800${"x".repeat(1_000)}"}`
})

type Ended = Record<string, Parameters<Asked["onEnd"]>[0]>

/** Notes what became of a request; twice is a fault. */
const noteIn = (ended: Ended, emitId: string): Asked["onEnd"] => (exit) => {
  assert.isFalse(emitId in ended)
  ended[emitId] = exit
}

it.live("requests cross together to the node of their actors, and each is answered as it ends", () =>
  Effect.gen(function*() {
    const { first, second } = yield* linked
    const ended: Ended = {}
    for (const emitId of ["a", "b", "c"]) {
      const actorId = emitId === "b" ? "dc_2" : "dc_1"
      assert.isTrue(first.crossing.request(actorId, requestOf(emitId), noteIn(ended, emitId)))
    }
    yield* until("all are there", () => second.taken.length === 3)
    assert.deepStrictEqual(second.taken.map(({ actorId }) => actorId), ["dc_1", "dc_2", "dc_1"])
    assert.deepStrictEqual(second.taken.map(({ request }) => request), ["a", "b", "c"].map(requestOf))

    second.taken[2]!.end(Exit.succeed(accepted))
    yield* until("the last is answered", () => "c" in ended)
    assert.isFalse("a" in ended || "b" in ended)
    second.taken[0]!.end(Exit.fail(new BacklogFull({ programId: "dc_1" })))
    second.taken[1]!.end(Exit.succeed(accepted))
    yield* until("all are answered", () => Object.keys(ended).length === 3)
    assert.deepStrictEqual(ended, {
      a: Exit.fail(new BacklogFull({ programId: "dc_1" })),
      b: Exit.succeed(accepted),
      c: Exit.succeed(accepted)
    })
  }))

it.live("a request that the other node does not take is given back, and those after it go another way for a while", () =>
  Effect.gen(function*() {
    const { first } = yield* linked
    const ended: Ended = {}
    assert.isTrue(first.crossing.request("dc_5", requestOf("a"), noteIn(ended, "a")))
    yield* until("it is given back", () => "a" in ended)
    assert.isUndefined(ended["a"])
    assert.isFalse(first.crossing.request("dc_5", requestOf("b"), noteIn(ended, "b")))
    assert.isTrue(first.crossing.request("dc_1", requestOf("c"), noteIn(ended, "c")))
    yield* until("it is sent again", () => first.crossing.request("dc_5", requestOf("d"), noteIn(ended, "d")))
  }))

it.live("a link that is cut gives back each request that was not answered, and the hints that did not arrive", () =>
  Effect.gen(function*() {
    const { first, second } = yield* linked
    const ended: Ended = {}
    for (const emitId of ["a", "b", "c"]) first.crossing.request("dc_1", requestOf(emitId), noteIn(ended, emitId))
    yield* until("all are there", () => second.taken.length === 3)
    second.taken[1]!.end(Exit.succeed(accepted))
    yield* until("one is answered", () => "b" in ended)
    yield* second.stop
    yield* until("the others are given back", () => Object.keys(ended).length === 3)
    assert.deepStrictEqual(ended, { a: undefined, b: Exit.succeed(accepted), c: undefined })

    if (first.crossing.wake("dc_2", Wake.forEverything)) {
      yield* until("the hint is given back", () => first.woken.length === 1)
      assert.deepStrictEqual(first.woken, [{ actorId: "dc_2", wake: Wake.forEverything }])
    }
  }))

it.live("hints cross whole, those to one actor merged; one to an actor that has moved is the last to go there", () =>
  Effect.gen(function*() {
    const { first, second } = yield* linked
    const event: LoggedEvent = {
      emitterId: "dc_7",
      stream: "s",
      n: 3,
      id: 2n ** 60n + 1n,
      emitId: "e",
      hops: 1,
      meta: { id: 5, ts: "t" },
      payload: "\"\\ud800\""
    }
    const fed = { subscriptionId: "sub_1", emitterId: "dc_7", stream: "s", events: [event] }
    assert.isTrue(first.crossing.wake("dc_1", Wake.forDueWork))
    assert.isTrue(first.crossing.wake("dc_1", Wake.forEvents([fed])))
    yield* until("it is there", () => second.woken.length > 0)
    assert.deepStrictEqual(second.woken, [{ actorId: "dc_1", wake: { due: true, look: false, fed: [fed] } }])

    assert.isTrue(first.crossing.wake("dc_6", Wake.forDueWork))
    yield* until("its node is forgotten", () => !first.crossing.wake("dc_6", Wake.forDueWork))
    assert.deepStrictEqual(second.woken[1], { actorId: "dc_6", wake: Wake.forDueWork })
  }))
