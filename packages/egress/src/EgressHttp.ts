import { Clock, Context, Effect, Exit, Layer, Option, Result } from "effect"
import { Deadlines } from "./Deadlines.ts"
import { EgressExchange, type Surroundings } from "./EgressExchange.ts"
import { EgressGuard } from "./EgressGuard.ts"
import type { EarlierRequest, EgressHttpFailed } from "./EgressHttpFailed.ts"
import { EgressPools } from "./EgressPools.ts"
import { type Asker, DnsFailed } from "./NameResolver.ts"
import type { Phases } from "./Phases.ts"
import { type Place, placeOf } from "./Place.ts"
import * as TlsSettings from "./TlsSettings.ts"

export interface EgressHttpRequest {
  readonly asker: Asker
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The settings of the TLS connection, if they differ from the standard ones. */
  readonly tls?: TlsSettings.TlsSettings | undefined
  /** False if HTTP/2 is not to be spoken though the endpoint offers it. */
  readonly http2?: boolean | undefined
  /** The time limit from the name look-up to the last byte kept of the answer. */
  readonly timeoutMillis: number
  /** The most bytes of the answer's body that are kept; the rest is dropped. */
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
  readonly phases: Phases
  /** The first request, if the answer is that to a second one. */
  readonly earlier?: EarlierRequest
}

/** The outcome of a request. */
export type EgressHttpEnding = Result.Result<EgressHttpResponse, EgressHttpFailed>

export interface EgressHttpOptions {
  /** PEM text of certificate authorities trusted beside Node's own (`HEADWATER_EXTRA_CA`). */
  readonly extraCa?: string
}

/**
 * One HTTP request through the egress guard: resolved and checked every time, redirects not followed, certificates
 * verified. A kept connection is used again only if its address is among those checked for this request. A second
 * request is sent if the first ended on a kept connection without a byte of an answer, or was answered
 * HTTP_1_1_REQUIRED; no third.
 */
export class EgressHttp extends Context.Service<EgressHttp, {
  request(request: EgressHttpRequest): Effect.Effect<EgressHttpResponse, EgressHttpFailed>
  /** The same without a fiber: calls back once, after it has returned. It does not call back once it is cancelled. */
  start(
    request: EgressHttpRequest,
    onEnd: (ending: EgressHttpEnding) => void
  ): { readonly cancel: () => void }
  /** Closes the connections made with these settings, once their requests are over. */
  forget(tls: TlsSettings.TlsSettings): void
}>()("@headwater/egress/EgressHttp") {
  static readonly layer = (options: EgressHttpOptions = {}): Layer.Layer<EgressHttp, never, EgressGuard> =>
    Layer.effect(EgressHttp, make(options))
}

const unresolved = (host: string) =>
  new DnsFailed({ host, code: "EAI_AGAIN", message: `The name ${host} could not be looked up` })

const make = Effect.fnUntraced(function*(options: EgressHttpOptions) {
  const guard = yield* EgressGuard
  const clock = yield* Clock.Clock
  const runCallback = Effect.runCallbackWith(yield* Effect.context<never>())
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const standardContext = TlsSettings.contextOf({}, options.extraCa)

  const pools = new EgressPools({
    connect: (target, address, onEnd) => {
      const cancel = runCallback(guard.connectChecked(target, [address]), {
        onExit: (exit) =>
          onEnd(
            Exit.isSuccess(exit)
              ? exit.value
              : Option.getOrElse(Exit.findErrorOption(exit), () => new Error("The connection attempt was interrupted"))
          )
      })
      return () => cancel()
    },
    contextOf: (tls) => tls === undefined ? standardContext : TlsSettings.contextOf(tls, options.extraCa),
    now
  })
  yield* Effect.addFinalizer(() => pools.destroy)

  const deadlines = yield* Deadlines.make(now)
  const around: Surroundings = {
    now,
    pools,
    onOver: (exchange) => deadlines.remove(exchange)
  }

  /** Places by the URLs that the guard remembers. */
  const places = new WeakMap<URL, Place>()
  const placeAt = (url: URL): Place => {
    const before = places.get(url)
    if (before !== undefined) return before
    const place = placeOf(url)
    places.set(url, place)
    return place
  }

  const begin = (exchange: EgressExchange, { asker, url }: EgressHttpRequest) => {
    const judged = guard.judgeUrl(url)
    if (Result.isFailure(judged)) return exchange.refuse(judged.failure)
    const place = placeAt(judged.success)
    const known = guard.resolveKnown(place.host)
    if (known === undefined) {
      return exchange.wait(runCallback(guard.resolve(place.host, asker), {
        onExit: (exit) => {
          if (Exit.isSuccess(exit)) return exchange.send(place, exit.value)
          const error = Exit.findErrorOption(exit)
          exchange.refuse(Option.getOrElse(error, () => unresolved(place.host)))
        }
      }))
    }
    if (Result.isSuccess(known)) exchange.send(place, known.success)
    else exchange.refuse(known.failure)
  }

  const start: EgressHttp["Service"]["start"] = (request, onEnd) => {
    const exchange = new EgressExchange(request, onEnd, around)
    deadlines.add(exchange)
    begin(exchange, request)
    return exchange.begun()
  }

  return EgressHttp.of({
    start,
    forget: (tls) => pools.forget(tls),
    request: (request) =>
      Effect.callback((resume) => {
        const exchange = start(request, (ending) => resume(Effect.fromResult(ending)))
        return Effect.sync(() => exchange.cancel())
      })
  })
})
