import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Below what Linux gives out by itself, where a port could go to any connection before it is listened on. */
const range = [10_240, 32_768] as const

const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/** A port of the loopback interface that nothing listened on a moment ago. */
export const find: Effect.Effect<number> = Effect.suspend(() => {
  const port = randomInt(...range)
  return Effect.flatMap(isFree(port), (free) => free ? Effect.succeed(port) : find)
})
