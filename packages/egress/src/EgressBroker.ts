import { Context, Effect, type Fiber, FiberSet, Layer, Schema } from "effect"
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
  readonly expiry: Fiber.Fiber<void>
}

/** The connections of a process: those that are being made, and those that are open or promised. */
interface Holder {
  dialling: number
  readonly upstreams: Set<Net.Socket>
}

interface Parts {
  readonly fork: (expiry: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly guard: EgressGuard["Service"]
  readonly limit: number
  readonly ticketMillis: number
}

/**
 * - T1. A ticket is redeemed once, within its time. Otherwise the connection that was dialled for it is closed.
 * - T2. A client that sends no ticket within that time, or one that is none, is closed.
 * - T3. Both ends of a connection close together, and with their holder.
 */
class Broker {
  /** The loopback port on which tickets are redeemed. */
  port = 0
  private readonly parts: Parts
  private readonly tickets = new Map<string, Ticket>()
  private readonly holders = new Map<string, Holder>()
  private readonly clients = new Set<Net.Socket>()
  private readonly server = Net.createServer({ allowHalfOpen: true }, (client) => this.accept(client))

  private constructor(parts: Parts) {
    this.parts = parts
  }

  static readonly make = Effect.fnUntraced(function*(options: EgressBrokerOptions) {
    const { maxConnectionsPerHolder = 64, ticketMillis = 10_000 } = options
    const broker = new Broker({
      fork: yield* FiberSet.makeRuntime<never, void>(),
      guard: yield* EgressGuard,
      limit: maxConnectionsPerHolder,
      ticketMillis
    })
    yield* Effect.acquireRelease(broker.listen, () => broker.close)
    return broker
  })

  /** Open and promised connections of a holder. */
  connections(holder: string): Effect.Effect<number> {
    return Effect.sync(() => this.countOf(holder))
  }

  /**
   * Dials a target for somebody through the guard and returns the ticket for it. `holder` names the process, for its
   * bound.
   */
  ticket(
    holder: string,
    asker: Omit<Asker, "use">,
    target: EgressTarget
  ): Effect.Effect<string, EgressRefused | DnsFailed | ConnectFailed | TooManyConnections> {
    const { fork, guard, limit, ticketMillis } = this.parts
    return Effect.gen({ self: this }, function*() {
      if (this.countOf(holder) >= limit) {
        return yield* new TooManyConnections({ limit, message: `More than ${limit} open connections` })
      }
      this.change(holder, (own) => own.dialling++)
      const upstream = yield* guard.connect(target, { ...asker, use: "component" }).pipe(
        Effect.ensuring(Effect.sync(() => this.change(holder, (own) => own.dialling--)))
      )
      if (upstream.remotePort === this.port && upstream.remoteAddress === "127.0.0.1") {
        upstream.destroy()
        return yield* new EgressRefused({
          host: target.host,
          why: "port",
          message: "The egress guard refused a connection to itself"
        })
      }
      this.change(holder, ({ upstreams }) => upstreams.add(upstream))
      upstream.on("close", () => this.change(holder, ({ upstreams }) => upstreams.delete(upstream)))
      const text = randomBytes(ticketLength / 2).toString("hex")
      const expiry = fork(Effect.delay(
        Effect.sync(() => {
          this.tickets.delete(text)
          upstream.destroy()
        }),
        ticketMillis
      ))
      this.tickets.set(text, { holder, upstream, expiry })
      return text
    })
  }

  /** Closes every connection and ticket of a holder: its process has ended. */
  release(holder: string): Effect.Effect<void> {
    return Effect.sync(() => {
      for (const [text, ticket] of this.tickets) if (ticket.holder === holder) this.take(text)
      for (const socket of this.holders.get(holder)?.upstreams ?? []) socket.destroy()
    })
  }

  private readonly listen: Effect.Effect<void, BrokerUnavailable> = Effect.callback((resume) => {
    this.server.once("error", (error) => resume(Effect.fail(new BrokerUnavailable({ message: error.message }))))
    this.server.listen({ host: "127.0.0.1", port: 0 }, () => {
      this.port = (this.server.address() as Net.AddressInfo).port
      resume(Effect.void)
    })
  })

  private readonly close: Effect.Effect<void> = Effect.callback((resume) => {
    this.server.close(() => resume(Effect.void))
    for (const { upstreams } of this.holders.values()) for (const socket of upstreams) socket.destroy()
    for (const client of this.clients) client.destroy()
  })

  private countOf(holder: string): number {
    const own = this.holders.get(holder)
    return own === undefined ? 0 : own.dialling + own.upstreams.size
  }

  /** Changes what a holder has. One that has nothing is forgotten. */
  private change(holder: string, change: (own: Holder) => void): void {
    const own = this.holders.get(holder) ?? { dialling: 0, upstreams: new Set() }
    change(own)
    if (own.dialling === 0 && own.upstreams.size === 0) this.holders.delete(holder)
    else this.holders.set(holder, own)
  }

  private take(text: string): Ticket | undefined {
    const ticket = this.tickets.get(text)
    this.tickets.delete(text)
    ticket?.expiry.interruptUnsafe()
    return ticket
  }

  private accept(client: Net.Socket): void {
    this.clients.add(client)
    let received: Buffer = Buffer.alloc(0)
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (received.length < ticketLength) return
      client.off("data", onData)
      client.pause()
      this.redeem(client, received.subarray(0, ticketLength).toString("latin1"), received.subarray(ticketLength))
    }
    client.on("data", onData)
    client.on("error", () => client.destroy())
    client.on("end", () => received.length < ticketLength && client.destroy())
    client.on("close", () => this.clients.delete(client))
    client.setTimeout(this.parts.ticketMillis, () => client.destroy())
  }

  private redeem(client: Net.Socket, text: string, rest: Buffer): void {
    const upstream = this.take(text)?.upstream
    if (upstream === undefined || upstream.destroyed) return void client.destroy()
    client.setTimeout(0)
    client.setNoDelay(true)
    client.on("close", () => upstream.destroy())
    upstream.on("close", () => client.destroy())
    if (rest.length > 0) upstream.write(rest)
    client.pipe(upstream)
    upstream.pipe(client)
  }
}

/**
 * The one port that a sandbox process can reach. For each connection a process asks for, over its own private channel,
 * the guard decides and dials, and the process gets a one-time ticket; a connection to the broker that begins with a
 * valid ticket is piped to what was dialled, any other is closed.
 */
export class EgressBroker extends Context.Service<EgressBroker, Broker>()("@headwater/egress/EgressBroker") {
  static readonly layer = (
    options: EgressBrokerOptions = {}
  ): Layer.Layer<EgressBroker, BrokerUnavailable, EgressGuard> => Layer.effect(EgressBroker, Broker.make(options))
}
