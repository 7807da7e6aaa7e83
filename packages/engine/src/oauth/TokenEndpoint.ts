import type { OAuthEndpoints } from "@headwater/domain/OAuth"
import { version } from "@headwater/domain/Version"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { Context, Effect, Layer, Predicate, Schema } from "effect"

/** The provider says no: the same again would come to the same. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  /** Such as `invalid_grant` (RFC 6749, section 5.2). */
  code: Schema.String,
  message: Schema.String
}) {}

/** The provider can't be reached, or says nothing that can be understood. */
export class TokenUnavailable extends Schema.TaggedError<TokenUnavailable>()("TokenUnavailable", {
  message: Schema.String
}) {}

/** A client as it speaks to its provider, on behalf of an account of the server. */
export interface SpeakingClient {
  readonly accountId: string
  readonly endpoints: OAuthEndpoints
  readonly clientId: string
  readonly clientSecret: string | null
}

/** A token that was granted. */
export interface GrantedToken {
  readonly accessToken: string
  readonly refreshToken: string | null
  /** Its life in seconds; null if the provider does not tell. */
  readonly lifetimeSeconds: number | null
  readonly told: Readonly<Record<string, string>>
}

type Parameters = Readonly<Record<string, string>>

type Answer = Readonly<Record<string, unknown>>

const timeoutMillis = 10_000
const mostAnswerBytes = 256 * 1024

/** Texts that an answer has beside the token go to code by their names. */
const mostTold = 20
const longestTold = 2_000

const ownNames = new Set([
  "access_token",
  "refresh_token",
  "id_token",
  "token_type",
  "expires_in",
  "expires_at",
  "scope",
  "error",
  "error_description",
  "error_uri"
])

/** Errors that pass. */
const passing = new Set(["server_error", "temporarily_unavailable"])

const longestReason = 500

/**
 * The endpoints at which OAuth clients ask for tokens, as they are: answers are also read where they are forms, where errors
 * come with the status 200, and where numbers are texts.
 */
export class TokenEndpoint extends Context.Service<TokenEndpoint, {
  /** Asks for a token by a grant: `grant_type` and what belongs to it. */
  readonly token: (
    client: SpeakingClient,
    grant: Parameters & { readonly grant_type: string }
  ) => Effect.Effect<GrantedToken, TokenRefused | TokenUnavailable>
  /** Asks for something else, and gives the answer as it is. */
  readonly ask: (
    client: SpeakingClient,
    url: string,
    parameters: Parameters
  ) => Effect.Effect<Answer, TokenRefused | TokenUnavailable>
}>()("@headwater/engine/oauth/TokenEndpoint") {
  static readonly layer: Layer.Layer<TokenEndpoint, never, EgressHttp> = Layer.effect(
    TokenEndpoint,
    Effect.map(EgressHttp, (http) => {
      const ask = Effect.fnUntraced(function*(client: SpeakingClient, url: string, parameters: Parameters) {
        const { body, headers } = requestOf(client, parameters)
        const asker = { accountId: client.accountId, use: "component" as const }
        const response = yield* http.request({
          asker,
          method: "POST",
          url,
          headers,
          body,
          timeoutMillis,
          maxBodyBytes: mostAnswerBytes
        }).pipe(Effect.mapError(({ message }) => new TokenUnavailable({ message: `${hostOf(url)}: ${message}` })))
        const secrets = [client.clientSecret, ...Object.values(parameters)]
        const text = new TextDecoder().decode(response.body)
        const refused = (code: string, description: string) =>
          new TokenRefused({ code, message: shown(`${hostOf(url)}: ${[code, description].join(" ").trim()}`, secrets) })
        const unavailable = (why: string) => new TokenUnavailable({ message: shown(`${hostOf(url)}: ${why}`, secrets) })
        const answer = read(text)
        const { status } = response
        if (status >= 500 || status === 429 || status === 408) return yield* unavailable(`answered HTTP ${status}`)
        const fault = faultOf(answer)
        if (fault !== undefined) {
          return yield* passing.has(fault.code)
            ? unavailable(fault.code)
            : refused(fault.code, fault.description)
        }
        if (status >= 400) return yield* refused(`http_${status}`, text)
        if (answer === undefined || status >= 300) {
          return yield* unavailable(`answered HTTP ${status} with something that is neither JSON nor a form`)
        }
        return answer
      })

      return TokenEndpoint.of({
        ask,
        token: Effect.fnUntraced(function*(client, grant) {
          const { peculiar, tokenUrl } = client.endpoints
          const isRenewal = grant.grant_type === "refresh_token"
          const url = isRenewal ? peculiar.refreshUrl ?? tokenUrl : tokenUrl
          const answer = yield* ask(client, url, { ...grant, ...peculiar.tokenParameters })
          const within = peculiar.tokenWithin === undefined ? undefined : answer[peculiar.tokenWithin]
          const hasToken = typeof answer["access_token"] === "string"
          const granted = hasToken || !isObject(within) ? answer : within
          const accessToken = granted["access_token"]
          if (typeof accessToken !== "string" || accessToken === "") {
            return yield* new TokenUnavailable({ message: `${hostOf(url)}: the answer has no access_token` })
          }
          const refreshToken = granted["refresh_token"]
          return {
            accessToken,
            refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : null,
            lifetimeSeconds: lifetimeOf(granted["expires_in"]) ?? peculiar.lifetimeSeconds ?? null,
            told: toldBy(answer)
          }
        })
      })
    })
  )
}

const isObject = (value: unknown): value is Answer => Predicate.isObject(value) && !Array.isArray(value)

const hostOf = (url: string): string => URL.canParse(url) ? new URL(url).host : url

/** A message without the secrets that a provider may repeat. */
const shown = (message: string, secrets: ReadonlyArray<string | null>): string =>
  secrets.reduce<string>(
    (text, secret) => secret === null || secret.length < 4 ? text : text.replaceAll(secret, "***"),
    message
  ).replaceAll(/\s+/g, " ").slice(0, longestReason)

const requestOf = ({ clientId, clientSecret, endpoints }: SpeakingClient, parameters: Parameters) => {
  const { clientAuthentication, peculiar: { clientIdName = "client_id", sendsJson } } = endpoints
  const isBasic = clientAuthentication === "basic" && clientSecret !== null
  const isPost = clientAuthentication === "post" && clientSecret !== null
  const all = {
    ...parameters,
    ...(isBasic ? {} : { [clientIdName]: clientId }),
    ...(isPost ? { client_secret: clientSecret } : {})
  }
  // RFC 6749, section 2.3.1: both are form-encoded first.
  const [id, secret] = [clientId, clientSecret ?? ""].map(encodeURIComponent)
  return {
    headers: {
      accept: "application/json",
      "content-type": sendsJson ? "application/json" : "application/x-www-form-urlencoded",
      "user-agent": `Headwater/${version}`,
      ...(isBasic ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` } : {})
    },
    body: sendsJson ? JSON.stringify(all) : new URLSearchParams(all).toString()
  }
}

/** An answer's members: it is JSON, or a form whatever it says that it is. */
const read = (text: string): Answer | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return isObject(json) ? json : undefined
  } catch {
    const form = Object.fromEntries(new URLSearchParams(text))
    return "access_token" in form || "error" in form ? form : undefined
  }
}

const textOf = (value: unknown): string => typeof value === "string" || typeof value === "number" ? String(value) : ""

const faultOf = (answer: Answer | undefined) => {
  const { error, error_description: description } = answer ?? {}
  if (isObject(error)) {
    return { code: textOf(error["type"]) || textOf(error["code"]) || "error", description: textOf(error["message"]) }
  }
  return textOf(error) === "" ? undefined : { code: textOf(error), description: textOf(description) }
}

const lifetimeOf = (value: unknown): number | null => {
  const seconds = Number(textOf(value))
  return Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : null
}

const toldBy = (answer: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(answer)
      .flatMap(([name, value]) => typeof value === "string" && !ownNames.has(name) ? [[name, value] as const] : [])
      .filter(([name, value]) => name.length <= 100 && value.length <= longestTold)
      .slice(0, mostTold)
  )
