/** Many requests to an endpoint that does something wrong, and what they leave behind. */
import * as BadEndpoints from "@headwater/fixtures/BadEndpoints"
import { Effect, Result } from "effect"
import { EgressHttp } from "../src/EgressHttp.ts"
import { asker } from "./Client.ts"

export interface Found {
  /** How many requests ended in each way: a status, or the class of the failure. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly longestMs: number
  /** Sockets that are open some time after the last request, without those that were before the first or are the server's. */
  readonly socketsLeft: number
}

/** Sockets of this process that are open or being opened. */
const allSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap" || name === "TCPConnectWrap").length

/** What all requests together may leave in the sockets' buffers. */
const mostUnsentBytes = 400_000_000

/** How long a request has that is to end by itself, in milliseconds. */
const amplyMillis = 25_000

/** How long sockets have to close after the last request, in milliseconds. */
const graceMs = 10_000

const settled = Effect.fnUntraced(function*(left: () => number) {
  for (let waited = 0; waited < graceMs && left() > 0; waited += 20) yield* Effect.sleep("20 millis")
  return Math.max(0, left())
})

export const of = (
  kind: BadEndpoints.Kind,
  { concurrency, count, timeoutMillis }: {
    readonly count: number
    readonly concurrency: number
    /** Of requests that are to end by it. */
    readonly timeoutMillis: number
  }
): Effect.Effect<Found, never, EgressHttp> =>
  Effect.scoped(Effect.gen(function*() {
    const http = yield* EgressHttp
    const endpoint = yield* BadEndpoints.make(kind)
    const { bodyBytes = 2, host = "hooks.example.com", isSecure, openSockets, outcome, port } = endpoint
    const body = new Uint8Array(bodyBytes).fill(120)
    const atOnce = Math.min(concurrency, Math.max(1, Math.floor(mostUnsentBytes / bodyBytes)))
    const outcomes: Record<string, number> = {}
    const before = allSockets()
    let longestMs = 0
    const request = Effect.map(
      Effect.result(http.request({
        asker,
        method: "POST",
        url: `${isSecure ? "https" : "http"}://${host}:${port}/`,
        headers: {},
        body,
        timeoutMillis: outcome === "timeout" ? timeoutMillis : amplyMillis,
        maxBodyBytes: 16_384
      })),
      (ending) => {
        const outcome = Result.isSuccess(ending) ? String(ending.success.status) : ending.failure.reason
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
        const { durationMs } = Result.isSuccess(ending) ? ending.success : ending.failure
        longestMs = Math.max(longestMs, durationMs)
      }
    )
    yield* Effect.forEach(Array.from({ length: count }), () => request, {
      concurrency: atOnce,
      discard: true
    })
    return { outcomes, longestMs, socketsLeft: yield* settled(() => allSockets() - openSockets() - before) }
  }))
