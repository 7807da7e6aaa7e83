import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { IncomingHttpHeaders } from "node:http"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { type Dispatcher, errors as UndiciErrors, Pool } from "undici"
import { ConnectFailed, EgressGuard } from "./EgressGuard.ts"
import type { Asker } from "./NameResolver.ts"

/** No answer was received. `refused` is the guard's own; the others are the network's or the target's. */
export class EgressHttpFailed extends Schema.TaggedError<EgressHttpFailed>()("EgressHttpFailed", {
  reason: Schema.Literals(["refused", "dns", "connect", "tls", "timeout", "protocol"]),
  message: Schema.String,
  address: Schema.optionalKey(Schema.String),
  durationMs: Schema.Finite
}) {}

export interface EgressHttpRequest {
  readonly asker: Asker
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** From the name look-up to the last byte kept of the answer. */
  readonly timeoutMillis: number
  /** How many bytes of the answer's body are kept; the rest is not read. */
  readonly maxBodyBytes: number
}

export interface EgressHttpResponse {
  readonly status: number
  /** Lower-case names; repeated headers are joined with a comma and a blank (RFC 9110, section 5.3). */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly bodyTruncated: boolean
  readonly address: string
  readonly durationMs: number
}

export interface EgressHttpOptions {
  /** PEM text of certificate authorities trusted beside Node's own (`HEADWATER_EXTRA_CA`). */
  readonly extraCa?: string
}

/** Addresses of origins with connections kept open. The one used longest ago goes first. */
const maxLanes = 512

const connectionsPerLane = 64

/**
 * One HTTP request through the egress guard: resolved and checked every time, redirects not followed, certificates
 * verified. A kept connection is used again only if its address is among those checked for this request.
 */
export class EgressHttp extends Context.Service<EgressHttp, {
  request(request: EgressHttpRequest): Effect.Effect<EgressHttpResponse, EgressHttpFailed>
}>()("@headwater/egress/EgressHttp") {
  static readonly layer = (options: EgressHttpOptions = {}): Layer.Layer<EgressHttp, never, EgressGuard> =>
    Layer.effect(EgressHttp, make(options))
}

interface Lane {
  readonly address: string
  readonly pool: Pool
  inUse: number
}

type Answer = Pick<EgressHttpResponse, "status" | "headers" | "body" | "bodyTruncated">

const givenUp = new Error("The request was aborted")

/** A failure to get or keep a connection that another attempt on a new connection may not meet. */
interface AttemptFailed {
  readonly reason: EgressHttpFailed["reason"]
  readonly message: string
  readonly reset: boolean
}

const make = Effect.fnUntraced(function*(options: EgressHttpOptions) {
  const guard = yield* EgressGuard
  const context = yield* Effect.context<never>()
  const runCallback = Effect.runCallbackWith(context)
  const secureContext = Tls.createSecureContext(
    options.extraCa === undefined ? {} : { ca: [...Tls.rootCertificates, options.extraCa] }
  )
  const lanes = new Map<string, Lane>()

  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...lanes.values()].map((_) => _.pool.destroy()))))

  const openLane = (url: URL, address: string): Lane => {
    const target = { host: hostOf(url), port: portOf(url) }
    const pool = new Pool(url.origin, {
      connections: connectionsPerLane,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: 30_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 32 * 1024,
      connect: (_, callback) => {
        runCallback(guard.connectChecked(target, [address]), {
          onExit: (exit) => {
            if (exit._tag === "Failure") {
              const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
              return callback(failure?.error ?? new Error("The connection attempt was interrupted"), null)
            }
            if (url.protocol === "http:") return callback(null, exit.value)
            secure(exit.value, target.host, secureContext, callback)
          }
        })
      }
    })
    return { address, pool, inUse: 0 }
  }

  const laneOf = (url: URL, addresses: ReadonlyArray<string>): Lane => {
    for (const address of addresses) {
      const key = `${url.origin} ${address}`
      const lane = lanes.get(key)
      if (lane === undefined) continue
      lanes.delete(key)
      lanes.set(key, lane)
      return lane
    }
    const address = addresses[0] ?? ""
    const lane = openLane(url, address)
    lanes.set(`${url.origin} ${address}`, lane)
    for (const [key, old] of lanes) {
      if (lanes.size <= maxLanes) break
      if (old.inUse > 0 || old === lane) continue
      lanes.delete(key)
      void old.pool.destroy()
    }
    return lane
  }

  const dropLane = (url: URL, lane: Lane) => {
    const key = `${url.origin} ${lane.address}`
    if (lanes.get(key) === lane) lanes.delete(key)
    void lane.pool.close()
  }

  /** One exchange on a lane. What is not read to its end gives up its connection. */
  const attempt = (lane: Lane, url: URL, request: EgressHttpRequest): Effect.Effect<Answer, AttemptFailed> =>
    Effect.callback((resume) => {
      let controller: Dispatcher.DispatchController | undefined
      let answer: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined
      let over = false
      let read = 0
      const chunks: Array<Buffer> = []
      const end = (ending: Effect.Effect<Answer, AttemptFailed>) => {
        if (over) return
        over = true
        lane.inUse--
        resume(ending)
      }
      const succeed = ({ headers, status }: NonNullable<typeof answer>) =>
        end(Effect.succeed({
          status,
          headers: joinHeaders(headers),
          body: Buffer.concat(chunks),
          bodyTruncated: read > request.maxBodyBytes
        }))
      // Once it has begun to answer, the request has arrived: it is not sent a second time.
      const fail = (cause: unknown) =>
        end(Effect.fail(answer === undefined ? classify(cause) : { ...classify(cause), reset: false }))

      const options: Dispatcher.DispatchOptions = {
        method: request.method as Dispatcher.HttpMethod,
        path: url.pathname + url.search,
        headers: { ...credentials(url), ...request.headers, host: url.host },
        body: request.body ?? null
      }
      lane.inUse++
      lane.pool.dispatch(options, {
        onRequestStart: (started) => {
          controller = started
          if (over) started.abort(givenUp)
        },
        onResponseStart: (_, status, headers) => {
          if (status >= 200) answer = { status, headers }
        },
        onResponseData: (started, chunk) => {
          if (read < request.maxBodyBytes) chunks.push(chunk.subarray(0, request.maxBodyBytes - read))
          read += chunk.length
          if (read <= request.maxBodyBytes + worthDraining) return
          succeed(answer!)
          started.abort(givenUp)
        },
        onResponseEnd: () => succeed(answer!),
        onResponseError: (_, error) => fail(error)
      })
      return Effect.sync(() => {
        if (over) return
        over = true
        lane.inUse--
        controller?.abort(givenUp)
      })
    })

  const request = (request: EgressHttpRequest): Effect.Effect<EgressHttpResponse, EgressHttpFailed> =>
    Effect.clockWith((clock) => {
      const started = clock.monotonicTimeNanosUnsafe()
      const elapsedMs = () => Number(clock.monotonicTimeNanosUnsafe() - started) / 1e6
      let address: string | undefined
      const fail = (reason: EgressHttpFailed["reason"], message: string) =>
        Effect.fail(
          new EgressHttpFailed({
            reason,
            message,
            durationMs: elapsedMs(),
            ...(address === undefined ? {} : { address })
          })
        )

      const exchange = (
        url: URL,
        addresses: ReadonlyArray<string>,
        resets: number
      ): Effect.Effect<EgressHttpResponse, EgressHttpFailed> => {
        const lane = laneOf(url, addresses)
        address = lane.address
        return Effect.matchEffect(attempt(lane, url, request), {
          onSuccess: (answer) => Effect.succeed({ ...answer, address: lane.address, durationMs: elapsedMs() }),
          onFailure: ({ message, reason, reset }) => {
            if (reason === "connect" && addresses.length > 1) {
              return exchange(url, addresses.filter((other) => other !== lane.address), resets)
            }
            // A server may close a kept connection just as it is used again: that says nothing about this request.
            if (!reset || resets > 0) return fail(reason, message)
            dropLane(url, lane)
            return exchange(url, addresses, resets + 1)
          }
        })
      }

      return guard.checkUrl(request.url).pipe(
        Effect.flatMap((url) =>
          Effect.flatMap(guard.resolve(hostOf(url), request.asker), (addresses) => exchange(url, addresses, 0))
        ),
        Effect.catchTags({
          EgressRefused: ({ message }) => fail("refused", message),
          DnsFailed: ({ message }) => fail("dns", message)
        }),
        Effect.timeoutOrElse({
          duration: request.timeoutMillis,
          orElse: () => fail("timeout", `No complete answer within ${request.timeoutMillis} ms`)
        })
      )
    })

  return EgressHttp.of({ request })
})

const hostOf = (url: URL): string => url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname

const portOf = (url: URL): number => url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)

/** What was percent-encoded; text that only looks so is meant as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** User and password of the URL, as every HTTP client sends them (RFC 7617). */
const credentials = (url: URL): Record<string, string> => {
  if (url.username === "" && url.password === "") return {}
  const text = `${decoded(url.username)}:${decoded(url.password)}`
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` }
}

class TlsFailed extends Error {}

/** A peer that accepts and then says nothing would otherwise hold the socket after its request has timed out. */
const handshakeMillis = 15_000

/** Does the TLS handshake on a connected socket, verifying the certificate for `host`. */
const secure = (
  socket: Net.Socket,
  host: string,
  secureContext: Tls.SecureContext,
  callback: (...args: [null, Net.Socket] | [Error, null]) => void
): void => {
  const secured = Tls.connect({
    socket,
    secureContext,
    host,
    ALPNProtocols: ["http/1.1"],
    ...(Net.isIP(host) === 0 ? { servername: host } : {})
  })
  const onError = (error: Error) => {
    secured.destroy()
    callback(new TlsFailed(error.message, { cause: error }), null)
  }
  secured.once("error", onError)
  const onTimeout = () => secured.destroy(new Error(`No TLS handshake within ${handshakeMillis} ms`))
  secured.setTimeout(handshakeMillis, onTimeout)
  secured.once("secureConnect", () => {
    secured.setTimeout(0, onTimeout)
    secured.off("error", onError)
    callback(null, secured)
  })
}

const classify = (cause: unknown): AttemptFailed => {
  const error = cause instanceof Error ? cause : new Error(String(cause))
  if (error instanceof ConnectFailed) {
    return { reason: error.code === "ETIMEDOUT" ? "timeout" : "connect", message: error.message, reset: false }
  }
  if (error instanceof TlsFailed) return { reason: "tls", message: error.message, reset: false }
  const code = "code" in error ? error.code : undefined
  const reset = error instanceof UndiciErrors.SocketError || code === "ECONNRESET" || code === "EPIPE"
  return { reason: "protocol", message: error.message, reset }
}

const joinHeaders = (headers: IncomingHttpHeaders): Record<string, string> => {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ")
  }
  return joined
}

/** What is left unread of an answer is worth reading, to keep its connection, only up to this many bytes. */
const worthDraining = 64 * 1024
