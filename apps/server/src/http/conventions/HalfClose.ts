import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

/**
 * Returns once the client of a request has ended its side of the connection. It may have gone, or still read: TCP does not
 * tell which (RFC 9293, 3.6). An answer that waits for something to happen waits no longer then.
 */
export const awaitHalfClose: Effect.Effect<void, never, HttpServerRequest.HttpServerRequest> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  ({ source }) =>
    source instanceof IncomingMessage
      ? Effect.callback<void>((resume) => {
        const { socket } = source
        const onEnd = () => resume(Effect.void)
        if (socket.readableEnded) return onEnd()
        socket.once("end", onEnd)
        return Effect.sync(() => socket.off("end", onEnd))
      })
      : Effect.never
)
