import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import { invalid, type InvalidRequest, Issue, type Unauthorized } from "@headwater/api/Problem"
import { header } from "@headwater/api/Warnings"
import { explain } from "@headwater/server/ErrorExplanation"
import { Console, Context, Effect, flow, Layer, Option, Predicate, Redacted, Schema, SchemaIssue } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { CommandRefused } from "../CommandRefused.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as AccessFile from "./AccessFile.ts"

/** A server's address, and an account's key. */
export interface Access {
  /** Base URL without `/v1` and without a slash at its end. */
  readonly url: string
  readonly apiKey: Redacted.Redacted
}

/** The server does not answer now, and may later. */
export class ServerAway extends Schema.TaggedError<ServerAway>()("ServerAway", { message: Schema.String }) {}

/** The server knows no such key. */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", { url: Schema.String }) {
  override get message() {
    return `${this.url} refuses the API key: it is unknown, expired or revoked. Run \`headwater login\` to save another one`
  }
}

type ToldHere = HttpClientError.HttpClientError | Schema.SchemaError | Unauthorized

type Told<E> = Exclude<E, ToldHere> | ServerAway | KeyRefused | CommandRefused | InvalidRequest

/** True once a call has sent anything: what the API does not take is refused before that. */
const Sending = Context.Reference<{ hasBegun: boolean }>("@headwater/cli/ApiAccess/Sending", {
  defaultValue: () => ({ hasBegun: false })
})

/** A server's API, for the account whose key the user has. */
export class ApiAccess extends Context.Service<ApiAccess, {
  readonly url: string
  /** An answer that is not the API's, or that is about the key alone, is told as such. */
  readonly call: <A, E, R>(
    use: (client: HeadwaterClient["Service"]) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, Told<E>, R>
}>()("@headwater/cli/ApiAccess") {
  static readonly layerOf = (access: Access): Layer.Layer<ApiAccess> =>
    Layer.effect(
      ApiAccess,
      Effect.map(HeadwaterClient, (client) =>
        ApiAccess.of({
          url: access.url,
          call: (use) =>
            Effect.suspend(() => {
              const sending = { hasBegun: false }
              return use(client).pipe(
                Effect.provideService(Sending, sending),
                Effect.mapError((error) => told(access, error, sending.hasBegun))
              )
            })
        }))
    ).pipe(Layer.provide(HeadwaterClient.layer(access)), Layer.provide(warning), Layer.provide(transport))

  /** With what the environment says, else the user's file. */
  static readonly layer = Layer.unwrap(Effect.suspend(() => Effect.map(findAccess, ApiAccess.layerOf)))
}

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"]

/**
 * Node's own HTTP, since to load `fetch` takes a tenth of a command's time. Like `fetch`, it keeps connections, follows
 * redirects, and asks through a proxy where the environment has Node do so.
 */
const transport = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, HttpClient.followRedirects()))
  .pipe(
    Layer.provide(Layer.unwrap(Effect.gen(function*() {
      const isAsked = Option.contains(yield* AccessFile.variable("NODE_USE_ENV_PROXY"), "1")
      const found = isAsked ? yield* Effect.forEach(proxyVariables, AccessFile.variable) : []
      const proxyEnv = Object.fromEntries(
        found.map((value, index) => [proxyVariables[index]!, Option.getOrUndefined(value)])
      )
      return NodeHttpClient.layerNodeHttpOptions({ keepAlive: true, proxyEnv })
    })))
  )

const toldWarnings = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Issue)))

/** Shows what answers warn of, beside what a command prints, and notes that something is sent. */
const warning = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    flow(
      HttpClient.tapRequest(() => Effect.map(Sending, (sending) => void (sending.hasBegun = true))),
      HttpClient.tap(({ headers }) =>
        Effect.forEach(
          Option.getOrElse(toldWarnings(headers[header]), () => []),
          (issue) => Effect.flatMap(FlagWords.told(issue), (text) => Console.error(harmless(`Warning: ${text}`))),
          { discard: true }
        )
      )
    )
  )
)

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The refusal of a request that is not sent, as the server itself would refuse it. */
const unsent = ({ issue }: Schema.SchemaError): InvalidRequest =>
  invalid(issuesOf(issue).issues.map(({ message, path = [] }) => ({ message, path: path.map(String).join(".") })))

/** The system's words, where they say what the matter is. */
export const whyAway = (cause: unknown): string => {
  const inner: unknown = Predicate.hasProperty(cause, "cause") ? cause.cause : cause
  const code = Predicate.hasProperty(inner, "code") ? inner.code : undefined
  const host = Predicate.hasProperty(inner, "hostname") ? String(inner.hostname) : "of the server"
  return code === "ENOTFOUND" || code === "EAI_AGAIN"
    ? `the name ${host} does not resolve (${code})`
    : code === "ECONNREFUSED"
    ? "nothing listens there (ECONNREFUSED). Start the server, or set HEADWATER_URL to its URL"
    : code === "EPROTO"
    ? "what listens there does not speak TLS (EPROTO). Is its URL one of http?"
    : String(code).startsWith("HPE_")
    ? `what listens there does not speak HTTP (${code}). Is its URL one of https?`
    : explain(cause)
}

const broken = "the connection broke"

/** True if an answer ended before its end. */
const isBroken = (cause: unknown): boolean => !(cause instanceof SyntaxError)

/** The reason why a stream from the server ended. */
export const whyLost = (error: unknown): string =>
  HttpClientError.isHttpClientError(error) && error.reason._tag === "DecodeError" ? broken : explain(error)

const told = <E>({ url }: Access, error: E, isSent: boolean): Told<E> => {
  const strange = (why: string) => `${url} does not answer like a Headwater server: ${why}`
  if (HttpClientError.isHttpClientError(error)) {
    const { reason, response } = error
    if (reason._tag === "TransportError") {
      return new ServerAway({ message: `${url} can't be reached: ${whyAway(reason.cause)}` })
    }
    if (reason._tag === "DecodeError") {
      return isBroken(reason.cause)
        ? new ServerAway({ message: `${url} can't be reached: ${broken}` })
        : new CommandRefused({ message: strange("its answer is not JSON") })
    }
    // Such as a proxy answers before a server that is away.
    const isAway = response !== undefined && response.status >= 500
    return new (isAway ? ServerAway : CommandRefused)({ message: strange(error.message) })
  }
  if (Schema.isSchemaError(error)) {
    return isSent ? new CommandRefused({ message: strange(error.message) }) : unsent(error)
  }
  if (Predicate.isTagged(error, "UnauthorizedProblem")) return new KeyRefused({ url })
  return error as Exclude<E, ToldHere>
}

const parseUrl = (text: string, where: string): Effect.Effect<string, CommandRefused> =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "")
    ? Effect.succeed(text.replace(/\/+$/, ""))
    : Effect.fail(new CommandRefused({ message: `${where} is not an http or https URL: ${JSON.stringify(text)}` }))

/** The URL of the server by the environment, else by the user's file, else the one of a server at its defaults. */
export const findUrl = Effect.gen(function*() {
  const environment = yield* AccessFile.variable("HEADWATER_URL")
  if (Option.isSome(environment)) return yield* parseUrl(environment.value, "HEADWATER_URL")
  const { url = "http://127.0.0.1:8787" } = yield* AccessFile.read
  return yield* parseUrl(url, `url in ${yield* AccessFile.path}`)
})

/** The server and the key by the environment, else by the user's file. */
export const findAccess = Effect.gen(function*() {
  const url = yield* findUrl
  const environment = yield* AccessFile.variable("HEADWATER_API_KEY")
  if (Option.isSome(environment)) return { url, apiKey: Redacted.make(environment.value) }
  const path = yield* AccessFile.path
  const kept = yield* AccessFile.read
  const missing = (what: string) =>
    new CommandRefused({ message: `${what}: set HEADWATER_API_KEY, or run \`headwater login\`, which writes ${path}` })
  if (kept.apiKey === undefined) return yield* missing(`There is no API key for ${url}`)
  // A key is told to no server but its own.
  if (kept.url !== undefined && URL.parse(kept.url)?.origin !== new URL(url).origin) {
    return yield* missing(`The API key in ${path} is for ${kept.url}, not for ${url}`)
  }
  return { url, apiKey: Redacted.make(kept.apiKey) }
})

/** The URL that a user gives, without a slash at its end. */
export const givenUrl = (text: string) => parseUrl(text, "--url")
