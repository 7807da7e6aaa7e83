import * as Recurring from "@headwater/domain/Recurring"
import {
  type Cause,
  Context,
  Effect,
  Exit,
  FiberSet,
  Layer,
  Option,
  Queue,
  Schedule,
  Schema,
  type Scope,
  Stream
} from "effect"
import { Runners } from "effect/cluster"
import { Rpc, RpcClient, RpcGroup } from "effect/rpc"
import type { IngestRequest, OnAnswered } from "../ground/ActorCalls.ts"
import { BacklogFull, EndpointNotFound, TokenRefused } from "../ground/HttpExchange.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import type { Wake } from "../ground/Wake.ts"
import { accepted } from "../program/ProgramRequests.ts"
import * as Frames from "./Frames.ts"
import { type Asked, Link } from "./Link.ts"

/** The outcomes of requests of a frame, each named by its place in it. Those declined may be taken in another way. */
const Answers = Schema.Struct({
  accepted: Schema.Array(Schema.Int),
  declined: Schema.Array(Schema.Int),
  failed: Schema.Array(Schema.Struct({
    place: Schema.Int,
    error: Schema.Union([BacklogFull, EndpointNotFound, TokenRefused, Unavailable])
  }))
})
type Answers = typeof Answers.Type

/** The requests of nodes to each other beside those of the cluster. */
export const Rpcs = RpcGroup.make(
  Rpc.make("CrossingRequests", { payload: { frame: Schema.String }, success: Answers, stream: true }),
  /** Answers the ids of the actors that live elsewhere. */
  Rpc.make("CrossingWakes", { payload: { frame: Schema.String }, success: Schema.Array(Schema.String) })
)

/** The receiver of requests and hints that other nodes send. */
export interface Receiver {
  /** Takes a request for an actor that is awake on this node and gives no reply of its own; answers whether it does. */
  readonly ingest: (actorId: string, request: IngestRequest, onAnswered: OnAnswered) => boolean
  /** Hands a hint to its actor, wherever that is. */
  readonly wake: (actorId: string, wake: Wake) => void
  readonly isHere: (actorId: string) => boolean
  /** The shard of an actor. */
  readonly shardOf: (actorId: string) => number
}

/** An address of nodes. */
type Address = Parameters<Runners.RpcClientProtocol["Service"]["make"]>[0]

const nameOf = ({ host, port }: Address) => `${host}:${port}`

/** A link that nothing uses is closed after one to two of these. */
const idleInterval = "1 minute"

/** The longest time for which requests to an actor that declined one from a link take the other way. */
const declinedInterval = "1 second"

/**
 * The short way between nodes, for most requests and hints: many in one message. It learns from the cluster's messages
 * which node has which shard. Requests and hints that it does not take, or that do not arrive, go through the cluster:
 * so it may be wrong about where an actor lives, and forget at any time. A request that goes both ways is one, by its
 * emit id.
 */
export class Crossing extends Context.Service<Crossing, {
  /** Notes that a shard was on a node when something was sent to it. */
  readonly note: (shard: number, address: Address) => void
  /** Sends a plain request; answers whether it does, in which case `onEnd` is called once. */
  readonly request: (actorId: string, request: IngestRequest, onEnd: Asked["onEnd"]) => boolean
  /** Sends a hint; answers whether it does. */
  readonly wake: (actorId: string, wake: Wake) => boolean
  /** Has the requests and hints of other nodes handed over. */
  readonly receive: (receiver: Receiver) => Effect.Effect<void, never, Scope.Scope>
  readonly receiver: () => Receiver | undefined
}>()("@headwater/engine/placement/Crossing") {
  /** The layer of a node by itself. */
  static readonly layerNone = Layer.succeed(Crossing, {
    note: () => {},
    request: () => false,
    wake: () => false,
    receive: () => Effect.void,
    receiver: () => undefined
  })

  static readonly layer = Layer.effect(
    Crossing,
    Effect.gen(function*() {
      const protocols = yield* Runners.RpcClientProtocol
      const run = yield* FiberSet.makeRuntime()
      const homes = new Map<number, Address>()
      const links = new Map<string, Link>()
      const declined = new Set<string>()
      let receiver: Receiver | undefined

      const forward = ({ actorId, wake }: Frames.SentWake) => receiver?.wake(actorId, wake)

      const sendRequests = (client: Client, batch: ReadonlyArray<Asked>) => {
        const open = new Map(batch.entries())
        const end = (place: number, exit: Parameters<Asked["onEnd"]>[0]) => {
          const asked = open.get(place)
          open.delete(place)
          asked?.onEnd(exit)
        }
        const decline = (place: number) => {
          const asked = open.get(place)
          if (asked !== undefined) declined.add(asked.actorId)
          end(place, undefined)
        }
        return Stream.suspend(() => client.CrossingRequests({ frame: Frames.ofRequests(batch) })).pipe(
          Stream.runForEach((answers) =>
            Effect.sync(() => {
              for (const place of answers.accepted) end(place, Exit.succeed(accepted))
              for (const place of answers.declined) decline(place)
              for (const { error, place } of answers.failed) end(place, Exit.fail(error))
            })
          ),
          Effect.catchCause((cause) => Effect.logDebug("A frame of requests got no answer", cause)),
          Effect.ensuring(Effect.sync(() => {
            for (const place of open.keys()) end(place, undefined)
          }))
        )
      }

      const sendWakes = (client: Client, batch: ReadonlyArray<Frames.SentWake>) =>
        Effect.suspend(() => client.CrossingWakes({ frame: Frames.ofWakes(batch) })).pipe(
          Effect.map((strays) => {
            for (const actorId of strays) if (receiver !== undefined) homes.delete(receiver.shardOf(actorId))
          }),
          Effect.catchCause((cause) => {
            for (const sent of batch) forward(sent)
            return Effect.logDebug("A frame of hints did not arrive", cause)
          })
        )

      const serve = (address: Address, link: Link) =>
        Effect.scoped(Effect.gen(function*() {
          const protocol = yield* protocols.make(address)
          const client = yield* RpcClient.make(Rpcs, { spanPrefix: "Crossing", disableTracing: true }).pipe(
            Effect.provideService(RpcClient.Protocol, protocol)
          )
          link.open({
            requests: (batch) => run(sendRequests(client, batch)),
            wakes: (batch, onEnd) => run(Effect.ensuring(sendWakes(client, batch), Effect.sync(onEnd)))
          })
          yield* Effect.sync(() => link.takeUse()).pipe(
            Effect.repeat({ while: (isUsed) => isUsed, schedule: Schedule.spaced(idleInterval) })
          )
        })).pipe(
          Effect.ensuring(Effect.sync(() => {
            link.close()
            links.delete(nameOf(address))
          }))
        )

      const linkOf = (actorId: string): Link | undefined => {
        if (receiver === undefined || receiver.isHere(actorId)) return undefined
        const address = homes.get(receiver.shardOf(actorId))
        if (address === undefined) return undefined
        const known = links.get(nameOf(address))
        if (known !== undefined) return known
        const link = new Link()
        links.set(nameOf(address), link)
        run(serve(address, link))
        return link
      }

      yield* Recurring.every("forget declined actors", declinedInterval, Effect.sync(() => declined.clear()))

      return Crossing.of({
        note: (shard, address) => void homes.set(shard, address),
        request: (actorId, request, onEnd) =>
          !declined.has(actorId) && linkOf(actorId)?.ask({ actorId, request, onEnd }) === true,
        wake: (actorId, wake) => linkOf(actorId)?.wake(actorId, wake) === true,
        receive: (next) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              receiver = next
            }),
            () =>
              Effect.sync(() => {
                receiver = undefined
              })
          ),
        receiver: () => receiver
      })
    })
  )
}

type Client = RpcClient.FromGroup<typeof Rpcs, unknown>

/** The cluster's way to other nodes, from which `Crossing` learns where actors live. */
export const layerRunners = Layer.effect(
  Runners.Runners,
  Effect.gen(function*() {
    const crossing = yield* Crossing
    const inner = yield* Runners.Runners
    return Runners.Runners.of({
      ...inner,
      send: (sent) => {
        crossing.note(sent.message.envelope.address.shardId.id, sent.address)
        return inner.send(sent)
      },
      notify: (sent) => {
        if (sent.address._tag === "Some") {
          crossing.note(sent.message.envelope.address.shardId.id, sent.address.value)
        }
        return inner.notify(sent)
      }
    })
  })
).pipe(Layer.provide(Runners.layerRpc))

/** Takes the requests of a frame, and answers those together that end together. */
const takeAll = Effect.fnUntraced(function*(crossing: Crossing["Service"], frame: string) {
  const sent = Frames.requestsIn(frame)
  const queue = yield* Queue.unbounded<Answers, Cause.Done>()
  const accepted: Array<number> = []
  const declined: Array<number> = []
  const failed: Array<Answers["failed"][number]> = []
  let open = sent.length
  let isFlushDue = false

  const flush = () => {
    isFlushDue = false
    Queue.offerUnsafe(queue, {
      accepted: accepted.splice(0),
      declined: declined.splice(0),
      failed: failed.splice(0)
    })
    if (open === 0) Queue.endUnsafe(queue)
  }

  const ended = () => {
    open -= 1
    if (isFlushDue) return
    isFlushDue = true
    setImmediate(flush)
  }

  const receiver = crossing.receiver()
  for (const [place, { actorId, request }] of sent.entries()) {
    const isTaken = receiver?.ingest(actorId, request, (exit) => {
      if (Exit.isSuccess(exit)) accepted.push(place)
      else {
        const error = Option.getOrUndefined(Exit.findErrorOption(exit))
        // An answer of the code itself, which began to give one meanwhile, comes the other way.
        if (error === undefined || error._tag === "NotAnswered") declined.push(place)
        else failed.push({ place, error })
      }
      ended()
    })
    if (isTaken !== true) {
      declined.push(place)
      ended()
    }
  }
  return queue
})

/** Handles the requests of other nodes. */
export const layerHandlers = Rpcs.toLayer(
  Effect.map(Crossing, (crossing) => ({
    CrossingRequests: ({ frame }) => takeAll(crossing, frame),
    CrossingWakes: ({ frame }) =>
      Effect.sync(() => {
        const receiver = crossing.receiver()
        const sent = Frames.wakesIn(frame)
        for (const { actorId, wake } of sent) receiver?.wake(actorId, wake)
        return receiver === undefined ? [] : sent.map(({ actorId }) => actorId).filter((id) => !receiver.isHere(id))
      })
  }))
)
