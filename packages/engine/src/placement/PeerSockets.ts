import { NodeClusterSocket, NodeSocket, NodeSocketServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Runners } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket, SocketServer } from "effect/socket"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** An address of nodes, whose host is a name, an IP address, or a folder. */
interface Address {
  readonly host: string
  readonly port: number
}

/**
 * The unix socket of a node whose host is a folder, in which nodes of one machine have theirs: only those who may enter
 * the folder reach them, not other users or, over the loopback interface, component code. None for other nodes.
 */
const pathOf = ({ host, port }: Address): string | undefined =>
  host.startsWith("/") ? Path.join(host, `${port}.sock`) : undefined

/** Writes in the order of the calls, without waiting for the other side to take it. */
const offered = (write: Effect.Effect<void, Socket.SocketError>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDetach(Effect.ignore(write), { startImmediately: true }))

/**
 * A connection that another node opened. Nobody waits for its answers to be taken: a write to a node that was killed
 * may never end, and would keep this one from stopping. The calls under way bound the amount that is on its way.
 */
const accepted = (socket: Socket.Socket): Socket.Socket =>
  Socket.make({
    reader: socket.reader,
    writer: Effect.map(socket.writer, ({ write, writeAll }) => ({
      write: (chunk) => offered(write(chunk)),
      writeAll: (chunks) => offered(writeAll(chunks))
    }))
  })

const listening = (address: Address) => {
  const path = pathOf(address)
  if (path === undefined) return NodeClusterSocket.layerSocketServer
  // Removes the socket of a former node that was killed.
  return Layer.unwrap(
    Effect.as(Effect.promise(() => Fs.rm(path, { force: true })), NodeSocketServer.layer({ path }))
  )
}

/** The socket server on which this node answers the others. */
export const layer = (address: Address) =>
  Layer.effect(
    SocketServer.SocketServer,
    Effect.map(SocketServer.SocketServer, (server) =>
      SocketServer.SocketServer.of({
        address: server.address,
        run: (handler) => server.run((socket) => handler(accepted(socket)))
      }))
  ).pipe(Layer.provide(listening(address)))

/** The protocol by which this node reaches the others. */
export const layerClientProtocol: Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function*() {
      const serialization = yield* RpcSerialization.RpcSerialization
      const overNetwork = yield* Runners.RpcClientProtocol
      const overPath = Effect.fnUntraced(
        function*(path: string) {
          const socket = yield* NodeSocket.makeNet({ openTimeout: 1_000, path })
          return yield* RpcClient.makeProtocolSocket().pipe(Effect.provideService(Socket.Socket, socket))
        },
        Effect.provideService(RpcSerialization.RpcSerialization, serialization),
        Effect.orDie
      )
      return {
        codecFor: serialization.codecFor,
        make: (address) => {
          const path = pathOf(address)
          return path === undefined ? overNetwork.make(address) : overPath(path)
        }
      }
    })
  ).pipe(Layer.provide(NodeClusterSocket.layerClientProtocol))
