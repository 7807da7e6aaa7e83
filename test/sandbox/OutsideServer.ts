import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, type Scope } from "effect"
import { createServer, type RequestListener } from "node:http"
import { outside } from "./HostileServer.ts"

/** An HTTP server on the address that stands for the public internet. */
export const make = (
  answer: RequestListener
): Effect.Effect<{ readonly port: number; readonly connections: () => number }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = createServer(answer)
    let open = 0
    server.on("connection", (socket) => {
      open++
      socket.on("close", () => open--)
    })
    return { port: yield* Loopback.listen(server, outside), connections: () => open }
  })
