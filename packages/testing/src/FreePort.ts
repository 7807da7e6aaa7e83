import { Effect } from "effect"
import { createServer } from "node:net"

/** A port of the loopback interface that nothing listened on a moment ago. */
export const find: Effect.Effect<number> = Effect.callback((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
