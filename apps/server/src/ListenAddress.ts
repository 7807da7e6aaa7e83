import { Effect, Layer, Schedule, Schema } from "effect"
import { createServer } from "node:net"
import { ServerConfig } from "./ServerConfig.ts"

/** The server can't listen where it is to. */
export class ListenAddressUnusable extends Schema.TaggedError<ListenAddressUnusable>()("ListenAddressUnusable", {
  message: Schema.String,
  isInUse: Schema.Boolean
}) {}

/** The time that workers may take to end after their supervisor was killed. */
const retries = { schedule: Schedule.spaced("50 millis"), times: 40 }

const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `HEADWATER_PORT: ${host}:${port} is in use by another program, maybe another Headwater. Stop it, or set HEADWATER_PORT ` +
    "to a free port",
  EACCES: (_, port) => `HEADWATER_PORT: this user may not listen on port ${port}. Set it to 1024 or higher`,
  EADDRNOTAVAIL: (host) => `HEADWATER_HOST: this machine has no address ${host}`,
  ENOTFOUND: (host) => `HEADWATER_HOST: the name ${host} does not resolve`
}

const listen = (host: string, port: number): Effect.Effect<void, ListenAddressUnusable> =>
  Effect.callback((resume) => {
    const server = createServer((socket) => socket.destroy())
    server.once("error", (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? ""]?.(host, port) ?? `HEADWATER_HOST, HEADWATER_PORT: ${error.message}`
      resume(Effect.fail(new ListenAddressUnusable({ message: reason, isInUse: error.code === "EADDRINUSE" })))
    })
    server.listen({ host, port }, () => server.close(() => resume(Effect.void)))
  })

/** Fails where HTTP can't listen, before a start leaves anything behind. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(
    ServerConfig,
    ({ host, port }) => Effect.retry(listen(host, port), { ...retries, while: ({ isInUse }) => isInUse })
  )
)
