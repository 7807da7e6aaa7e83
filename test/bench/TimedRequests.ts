import { Effect } from "effect"
import { BenchFailed } from "./BenchFailed.ts"
import { apiKey, type BenchServer } from "./BenchServer.ts"
import { LoadConnection } from "./LoadConnection.ts"
import * as MonotonicClock from "./MonotonicClock.ts"

export interface TimedRequest {
  readonly method: string
  /** Below `/v1`. */
  readonly path: string
}

/** Calls a server's API, one request after the other; how long each took, in milliseconds. All must be answered with 2xx. */
export const timed = (
  server: BenchServer,
  requests: ReadonlyArray<TimedRequest>
): Effect.Effect<ReadonlyArray<number>, BenchFailed> =>
  Effect.callback((resume) => {
    const url = new URL(server.url)
    const times: Array<number> = []
    let sentAt = 0
    const finish = (outcome: Effect.Effect<ReadonlyArray<number>, BenchFailed>) => {
      connection.close()
      resume(outcome)
    }
    const next = () => {
      const request = requests[times.length]
      if (request === undefined) return finish(Effect.succeed(times))
      sentAt = MonotonicClock.now()
      connection.send(
        `${request.method} /v1${request.path} HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${apiKey}\r\n\r\n`
      )
    }
    const connection = new LoadConnection({ host: url.hostname, port: Number(url.port) }, {
      answered: (status) => {
        const request = requests[times.length]
        if (status < 200 || status >= 300) {
          const message = `${request?.method} ${request?.path}: ${status === 0 ? "connection lost" : status}`
          return finish(Effect.fail(new BenchFailed({ message })))
        }
        times.push(MonotonicClock.now() - sentAt)
        next()
      }
    })
    next()
    return Effect.sync(() => connection.close())
  })
