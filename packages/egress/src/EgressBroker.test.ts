import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { AddressInfo } from "node:net"
import * as Net from "node:net"
import * as EgressAllowList from "./EgressAllowList.ts"
import { EgressBroker, ticketLength } from "./EgressBroker.ts"
import { EgressGuard } from "./EgressGuard.ts"

const brokerOf = (ticketMillis: number) =>
  EgressBroker.layer({ ticketMillis, maxConnectionsPerHolder: 2 }).pipe(
    Layer.provide(EgressGuard.layer(EgressAllowList.loopback))
  )

const brokerLayer = brokerOf(60_000)

/** A server that says `hello`, then sends back what it gets. Counts the connections that are open. */
const echo = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly open: Set<Net.Socket>; readonly server: Net.Server }>((resume) => {
    const open = new Set<Net.Socket>()
    const server = Net.createServer((socket) => {
      open.add(socket)
      socket.on("close", () => open.delete(socket))
      socket.on("error", () => {})
      socket.write("hello ")
      socket.pipe(socket)
    })
    server.listen(
      0,
      "127.0.0.1",
      () => resume(Effect.succeed({ port: (server.address() as AddressInfo).port, open, server }))
    )
  }),
  ({ open, server }) =>
    Effect.callback<void>((resume) => {
      for (const socket of open) socket.destroy()
      server.close(() => resume(Effect.void))
    })
)

/** All that comes back for what is sent to the broker, until it closes. */
const exchange = (port: number, ...parts: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket = Net.connect(port, "127.0.0.1", () => {
      for (const part of parts) socket.write(part)
      socket.end()
    })
    socket.on("data", (chunk) => void (received += chunk.toString()))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

/** Waits for what the other end of a connection notices. */
const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("2 millis"), { until: isSo })

describe("EgressBroker", () => {
  it.live("a connection with its ticket is piped to what was dialled", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const broker = yield* EgressBroker
      const ticket = yield* broker.ticket("p1", { accountId: "u_1" }, { host: "127.0.0.1", port })
      assert.strictEqual(ticket.length, ticketLength)
      assert.strictEqual(yield* exchange(broker.port, ticket, "and back"), "hello and back")
      yield* Effect.repeat(broker.connections("p1"), { until: (count) => count === 0 })
    }).pipe(Effect.provide(brokerLayer)))

  it.live("a ticket may come in pieces, and what follows it in the same packet is passed on", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const broker = yield* EgressBroker
      const ticket = yield* broker.ticket("p1", { accountId: "u_1" }, { host: "127.0.0.1", port })
      assert.strictEqual(
        yield* exchange(broker.port, ticket.slice(0, 10), `${ticket.slice(10)}first`, " second"),
        "hello first second"
      )
    }).pipe(Effect.provide(brokerLayer)))

  it.live("a forged, replayed or missing ticket gets nothing", () =>
    Effect.gen(function*() {
      const { port } = yield* echo
      const broker = yield* EgressBroker
      assert.strictEqual(yield* exchange(broker.port, "f".repeat(ticketLength), "x"), "")
      assert.strictEqual(yield* exchange(broker.port, "GET / HTTP/1.0\r\n\r\n"), "")
      const ticket = yield* broker.ticket("p1", { accountId: "u_1" }, { host: "127.0.0.1", port })
      assert.strictEqual(yield* exchange(broker.port, ticket), "hello ")
      assert.strictEqual(yield* exchange(broker.port, ticket), "")
    }).pipe(Effect.provide(brokerLayer)))

  it.live("a ticket that is not used in time is worth nothing, and what was dialled for it is closed", () =>
    Effect.gen(function*() {
      const { open, port } = yield* echo
      const broker = yield* EgressBroker
      const ticket = yield* broker.ticket("p1", { accountId: "u_1" }, { host: "127.0.0.1", port })
      yield* until(() => open.size === 1)
      yield* until(() => open.size === 0)
      assert.strictEqual(yield* exchange(broker.port, ticket), "")
    }).pipe(Effect.provide(brokerOf(300))))

  it.live("a holder has a bounded number of connections, which end with it", () =>
    Effect.gen(function*() {
      const { open, port } = yield* echo
      const broker = yield* EgressBroker
      const target = { host: "127.0.0.1", port }
      yield* broker.ticket("p1", { accountId: "u_1" }, target)
      yield* broker.ticket("p1", { accountId: "u_1" }, target)
      assert.strictEqual(
        (yield* Effect.flip(broker.ticket("p1", { accountId: "u_1" }, target)))._tag,
        "TooManyConnections"
      )
      yield* broker.ticket("p2", { accountId: "u_1" }, target)
      yield* broker.release("p1")
      yield* until(() => open.size === 1)
      yield* broker.ticket("p1", { accountId: "u_1" }, target)
    }).pipe(Effect.provide(brokerLayer)))

  it.live("what the guard refuses gets no ticket, and neither does the broker itself", () =>
    Effect.gen(function*() {
      const broker = yield* EgressBroker
      assert.strictEqual(
        (yield* Effect.flip(broker.ticket("p1", { accountId: "u_1" }, { host: "10.0.0.1", port: 80 })))._tag,
        "EgressRefused"
      )
      const self = yield* Effect.flip(
        broker.ticket("p1", { accountId: "u_1" }, { host: "127.0.0.1", port: broker.port })
      )
      assert.strictEqual(self._tag, "EgressRefused")
    }).pipe(Effect.provide(brokerLayer)))
})
