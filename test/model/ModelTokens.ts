import { Clock, Effect, type Scope } from "effect"
import { createServer } from "node:http"
import type { Model, ModelSource } from "./Model.ts"
import { broken } from "./ModelBroken.ts"
import type { TokenRow } from "./Observation.ts"

/** How long a token lives, and how much of that has gone at least when it is renewed, in seconds. */
export const lifeSeconds = 300
const renewedAfterSeconds = 220

/** The text of a token says which one it is, counted from 0. */
export const textOf = (nth: number): string => `token-${nth}-of-all`
const nthOf = (text: string): number => Number(/^token-(\d+)-of-all$/.exec(text)?.[1] ?? NaN)

export interface ModelTokens {
  readonly url: string
  /** When each was handed out, in milliseconds; the first one was before anything else. */
  readonly issued: Array<number>
}

/** A provider that hands out a new token to whoever asks. */
export const make: Effect.Effect<ModelTokens, never, Scope.Scope> = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  const issued = [clock.currentTimeMillisUnsafe()]
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      const access_token = textOf(issued.push(clock.currentTimeMillisUnsafe()) - 1)
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ access_token, token_type: "Bearer", expires_in: lifeSeconds, refresh_token: "r" }))
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed(Effect.void))
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/token`, issued }
})

/** A run of a `holder` had a token. */
export const held = (model: Model, source: ModelSource, token: string): void => {
  const { issued = [] } = model.tokens ?? {}
  const nth = nthOf(token)
  const at = issued[nth]
  if (at === undefined) return broken("a run had a token that nobody handed out", { token })
  if (nth < source.token) broken("a run had a token of before that of a run before it", { token, before: source.token })
  if (nth < model.keptToken) broken("a run had a token that was renewed before", { token, kept: model.keptToken })
  // One that has ended is only had while nobody gets an answer with another.
  if (nth === issued.length - 1 && at + 1_000 * lifeSeconds <= model.earliest) {
    broken("a run had a token that had ended", { token, at, earliest: model.earliest })
  }
  source.token = nth
}

/** That each token that was handed out was kept, but for those whose answers were lost, and none was asked for too early. */
export const checkTokens = (model: Model, row: TokenRow | undefined): void => {
  const { issued = [] } = model.tokens ?? {}
  if (row === undefined) return
  const lost = issued.length - row.generation
  // One may be on its way.
  if (lost > 1 + 2 * model.cutOffs) {
    broken("tokens were asked for and not kept", {
      issued: issued.length,
      generation: row.generation,
      cutOffs: model.cutOffs
    })
  }
  const most = 1 + Math.floor((model.furthest - issued[0]!) / (1_000 * renewedAfterSeconds))
  if (row.generation - 1 > most) broken("tokens were renewed too early", { generation: row.generation, most })
  const from = Number(row.expires_at) - 1_000 * lifeSeconds
  const last = issued.findLastIndex((at) => at <= from)
  model.keptToken = Math.max(model.keptToken, last < 0 ? 0 : issued.indexOf(issued[last]!))
}
