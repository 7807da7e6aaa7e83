import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { randomBytes } from "node:crypto"
import * as Net from "node:net"
import { type ConnectFailed, EgressGuard, EgressRefused, type EgressTarget } from "./EgressGuard.ts"
import type { Asker, DnsFailed } from "./NameResolver.ts"

/** The process already has as many connections, open or promised, as it may have. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  limit: Schema.Int,
  message: Schema.String
}) {}

/** The broker could not listen on the loopback interface. */
export class BrokerUnavailable extends Schema.TaggedError<BrokerUnavailable>()("BrokerUnavailable", {
  message: Schema.String
}) {}

export interface EgressBrokerOptions {
  /** The longest wait of a ticket for its connection, and of a connection for its ticket, in milliseconds. */
  readonly ticketMillis?: number
  /** The most open and promised connections of one holder. */
  readonly maxConnectionsPerHolder?: number
}

/** Length of a ticket as it is sent: 32 random bytes in hexadecimal, without a line end. */
export const ticketLength = 64

interface Ticket {
  readonly holder: string
  readonly upstream: Net.Socket
}

/**
 * The one port that a sandbox process can reach. For each connection a process asks for, over its own private channel,
 * the guard decides and dials, and the process gets a one-time ticket; a connection to the broker that begins with a
 * valid ticket is piped to what was dialled, any other is closed.
 */
export class EgressBroker extends Context.Service<EgressBroker, {
  /** The loopback port on which tickets are redeemed. */
  readonly port: number
  /**
   * Dials a target for somebody through the guard and returns the ticket for it. `holder` names the process, for its
   * bound.
   */
  ticket(
    holder: string,
    asker: Omit<Asker, "use">,
    target: EgressTarget
  ): Effect.Effect<string, EgressRefused | DnsFailed | ConnectFailed | TooManyConnections>
  /** Closes every connection and ticket of a holder: its process has ended. */
  release(holder: string): Effect.Effect<void>
  /** Open and promised connections of a holder. */
  connections(holder: string): Effect.Effect<number>
}>()("@headwater/egress/EgressBroker") {
  static readonly layer = (
    options: EgressBrokerOptions = {}
  ): Layer.Layer<EgressBroker, BrokerUnavailable, EgressGuard> => Layer.effect(EgressBroker, make(options))
}

const make = Effect.fnUntraced(function*(options: EgressBrokerOptions) {
  const guard = yield* EgressGuard
  const ticketMillis = options.ticketMillis ?? 10_000
  const limit = options.maxConnectionsPerHolder ?? 64
  const tickets = new Map<string, Ticket>()
  const upstreams = new Map<string, Set<Net.Socket>>()
  const dialling = new Map<string, number>()
  const clients = new Set<Net.Socket>()
  const expiries = yield* FiberMap.make<string>()
  const runExpiry = yield* FiberMap.runtime(expiries)<never>()

  const forget = (text: string) => {
    tickets.delete(text)
    runExpiry(text, Effect.void)
  }

  const redeem = (client: Net.Socket, text: string, rest: Buffer) => {
    const ticket = tickets.get(text)
    if (ticket === undefined || ticket.upstream.destroyed) return client.destroy()
    forget(text)
    const { upstream } = ticket
    client.setTimeout(0)
    client.setNoDelay(true)
    client.on("close", () => upstream.destroy())
    upstream.on("close", () => client.destroy())
    if (rest.length > 0) upstream.write(rest)
    client.pipe(upstream)
    upstream.pipe(client)
    return client
  }

  const server = Net.createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client)
    let received: Buffer = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (received.length < ticketLength) return
      client.off("data", onData)
      client.pause()
      redeem(client, received.subarray(0, ticketLength).toString("latin1"), received.subarray(ticketLength))
    }
    client.on("data", onData)
    client.on("error", () => client.destroy())
    client.on("end", () => received.length < ticketLength && client.destroy())
    client.on("close", () => clients.delete(client))
    client.setTimeout(ticketMillis, () => client.destroy())
  })

  yield* Effect.acquireRelease(
    Effect.callback<void, BrokerUnavailable>((resume) => {
      server.once("error", (error) => resume(Effect.fail(new BrokerUnavailable({ message: error.message }))))
      server.listen({ host: "127.0.0.1", port: 0 }, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const sockets of upstreams.values()) for (const socket of sockets) socket.destroy()
        for (const client of clients) client.destroy()
      })
  )
  const address = server.address()
  if (address === null || typeof address === "string") {
    return yield* new BrokerUnavailable({ message: "The broker has no port" })
  }
  const { port } = address

  const countOf = (holder: string) => (upstreams.get(holder)?.size ?? 0) + (dialling.get(holder) ?? 0)

  const own = (holder: string, upstream: Net.Socket) => {
    const sockets = upstreams.get(holder) ?? new Set()
    upstreams.set(holder, sockets)
    sockets.add(upstream)
    upstream.on("close", () => {
      sockets.delete(upstream)
      if (sockets.size === 0 && upstreams.get(holder) === sockets) upstreams.delete(holder)
    })
  }

  const ticket = Effect.fnUntraced(function*(holder: string, asker: Omit<Asker, "use">, target: EgressTarget) {
    if (countOf(holder) >= limit) {
      return yield* new TooManyConnections({ limit, message: `More than ${limit} open connections` })
    }
    dialling.set(holder, (dialling.get(holder) ?? 0) + 1)
    const upstream = yield* guard.connect(target, { ...asker, use: "component" }).pipe(
      Effect.ensuring(Effect.sync(() => {
        const left = (dialling.get(holder) ?? 1) - 1
        if (left === 0) dialling.delete(holder)
        else dialling.set(holder, left)
      }))
    )
    if (upstream.remotePort === port && upstream.remoteAddress === "127.0.0.1") {
      upstream.destroy()
      return yield* new EgressRefused({
        host: target.host,
        why: "port",
        message: "The egress guard refused a connection to itself"
      })
    }
    own(holder, upstream)
    const text = randomBytes(ticketLength / 2).toString("hex")
    tickets.set(text, { holder, upstream })
    yield* FiberMap.run(
      expiries,
      text,
      Effect.sync(() => {
        tickets.delete(text)
        upstream.destroy()
      }).pipe(Effect.delay(ticketMillis))
    )
    return text
  })

  const release = (holder: string) =>
    Effect.sync(() => {
      for (const [text, ticket] of tickets) {
        if (ticket.holder === holder) forget(text)
      }
      for (const socket of upstreams.get(holder) ?? []) socket.destroy()
    })

  return EgressBroker.of({ port, ticket, release, connections: (holder) => Effect.sync(() => countOf(holder)) })
})
