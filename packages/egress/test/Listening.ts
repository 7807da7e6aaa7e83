/** Servers on loopback for tests, of any protocol. */
import { Effect } from "effect"
import type { Scope } from "effect/Scope"
import type { AddressInfo, Server, Socket } from "node:net"

export interface Listening<A extends Server> {
  readonly port: number
  /** All connections that came, those too that are over. */
  readonly sockets: ReadonlySet<Socket>
  readonly server: A
}

export const listening = <A extends Server>(make: () => A): Effect.Effect<Listening<A>, never, Scope> =>
  Effect.acquireRelease(
    Effect.callback<Listening<A>>((resume) => {
      const server = make()
      const sockets = new Set<Socket>()
      server.on("connection", (socket: Socket) => void sockets.add(socket.on("error", () => {})))
      server.on("tlsClientError", () => {})
      server.listen(
        0,
        "127.0.0.1",
        () => resume(Effect.succeed({ port: (server.address() as AddressInfo).port, sockets, server }))
      )
    }),
    ({ server, sockets }) =>
      Effect.callback<void>((resume) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

/** Those of the connections that are not over. */
export const openOf = (sockets: Iterable<Socket>): ReadonlyArray<Socket> =>
  [...sockets].filter((socket) => !socket.destroyed && !socket.closed)
