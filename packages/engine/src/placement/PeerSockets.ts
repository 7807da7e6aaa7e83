import { NodeClusterSocket } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Socket, SocketServer } from "effect/socket"

/** Writes in the order of the calls, without waiting for the other side to take what was written. */
const offered = (write: Effect.Effect<void, Socket.SocketError>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDetach(Effect.ignore(write), { startImmediately: true }))

/**
 * A connection that another node opened. Nobody waits for its answers to be taken: a write to a node that was killed may
 * never end, and would keep this one from stopping. How much is on its way is bounded by the calls under way.
 */
const accepted = (socket: Socket.Socket): Socket.Socket =>
  Socket.make({
    reader: socket.reader,
    writer: Effect.map(socket.writer, ({ write, writeAll }) => ({
      write: (chunk) => offered(write(chunk)),
      writeAll: (chunks) => offered(writeAll(chunks))
    }))
  })

/** Where this node answers the others. */
export const layer = Layer.effect(
  SocketServer.SocketServer,
  Effect.map(SocketServer.SocketServer, (server) =>
    SocketServer.SocketServer.of({
      address: server.address,
      run: (handler) => server.run((socket) => handler(accepted(socket)))
    }))
).pipe(Layer.provide(NodeClusterSocket.layerSocketServer))
