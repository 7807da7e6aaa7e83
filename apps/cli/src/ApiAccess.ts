import { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import type { Unauthorized } from "@headwater/api/Problem"
import { explain } from "@headwater/server/ErrorExplanation"
import { Context, Effect, Layer, Option, Predicate, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClientError } from "effect/http"
import * as AccessFile from "./AccessFile.ts"
import { CommandRefused } from "./CommandRefused.ts"

/** Where a server is, and an account's key. */
export interface Access {
  /** Base URL without `/v1` and without a slash at its end. */
  readonly url: string
  readonly apiKey: Redacted.Redacted
}

type ToldHere = HttpClientError.HttpClientError | Schema.SchemaError | Unauthorized

/** A server's API, for the account whose key the user has. */
export class ApiAccess extends Context.Service<ApiAccess, {
  readonly url: string
  /** What the server does not answer at all, or refuses the key for, is told as a refusal of the command. */
  readonly call: <A, E, R>(
    use: (client: HeadwaterClient["Service"]) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Exclude<E, ToldHere> | CommandRefused, R>
}>()("@headwater/cli/ApiAccess") {
  static readonly layerOf = (access: Access): Layer.Layer<ApiAccess> =>
    Layer.effect(
      ApiAccess,
      Effect.map(HeadwaterClient, (client) =>
        ApiAccess.of({ url: access.url, call: (use) => Effect.mapError(use(client), told(access)) }))
    ).pipe(Layer.provide(HeadwaterClient.layer(access)), Layer.provide(FetchHttpClient.layer))

  /** With what the environment says, else the user's file. */
  static readonly layer = Layer.unwrap(Effect.suspend(() => Effect.map(find, ApiAccess.layerOf)))
}

const told = ({ url }: Access) => <E>(error: E): Exclude<E, ToldHere> | CommandRefused => {
  const strange = (why: string) =>
    new CommandRefused({ message: `${url} does not answer as a Headwater server does: ${why}` })
  if (HttpClientError.isHttpClientError(error)) {
    return error.reason._tag === "TransportError"
      ? new CommandRefused({ message: `${url} can't be reached: ${explain(error.reason.cause)}` })
      : strange(error.message)
  }
  if (Schema.isSchemaError(error)) return strange(error.message)
  if (Predicate.isTagged(error, "UnauthorizedProblem")) {
    return new CommandRefused({ message: `${url} does not know the API key` })
  }
  return error as Exclude<E, ToldHere>
}

const parseUrl = (text: string, where: string): Effect.Effect<string, CommandRefused> =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Effect.succeed(text.replace(/\/+$/, ""))
    : Effect.fail(new CommandRefused({ message: `${where} is no http or https URL: ${JSON.stringify(text)}` }))

/** The URL of the server by the environment, else by the user's file, else the one of a server at its defaults. */
export const findUrl = Effect.gen(function*() {
  const environment = yield* AccessFile.variable("HEADWATER_URL")
  if (Option.isSome(environment)) return yield* parseUrl(environment.value, "HEADWATER_URL")
  const { url = "http://127.0.0.1:8787" } = yield* AccessFile.read
  return yield* parseUrl(url, `url in ${yield* AccessFile.path}`)
})

const find = Effect.gen(function*() {
  const url = yield* findUrl
  const environment = yield* AccessFile.variable("HEADWATER_API_KEY")
  if (Option.isSome(environment)) return { url, apiKey: Redacted.make(environment.value) }
  const path = yield* AccessFile.path
  const kept = yield* AccessFile.read
  const missing = (what: string) =>
    new CommandRefused({ message: `${what}: set HEADWATER_API_KEY, or have \`headwater login\` write ${path}` })
  if (kept.apiKey === undefined) return yield* missing(`There is no API key for ${url}`)
  // A key is told to no server but its own.
  if (kept.url !== undefined && URL.parse(kept.url)?.origin !== new URL(url).origin) {
    return yield* missing(`The API key in ${path} is for ${kept.url}, not for ${url}`)
  }
  return { url, apiKey: Redacted.make(kept.apiKey) }
})

/** The URL that a user gives, without a slash at its end. */
export const givenUrl = (text: string) => parseUrl(text, "--url")
