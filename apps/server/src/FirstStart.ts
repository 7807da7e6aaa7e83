import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { ServerConfig } from "./ServerConfig.ts"

/** Creates the first account at the first start, and says in a few lines where everything is. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const { apiKey, dataDirectory, databaseUrl, egressAllow, url } = yield* ServerConfig
  const accounts = yield* AccountLifecycle
  const { account, key } = yield* accounts.createFirst({
    username: "admin",
    email: "admin@localhost",
    plan: "free",
    ...(Option.isSome(apiKey) ? { key: apiKey.value } : {})
  })
  const database = Option.isSome(databaseUrl) ? "the Postgres of DATABASE_URL" : `embedded Postgres in ${dataDirectory}`
  if (key === undefined) {
    yield* Console.log(`Headwater listens on ${url} (data: ${database}).`)
    return
  }
  const shown = Option.isSome(apiKey) ? "the one in HEADWATER_API_KEY" : Redacted.value(key)
  yield* Console.log([
    "",
    `  Headwater listens on ${url}`,
    "",
    `  Account   ${account.username} (${account.id})`,
    `  API key   ${shown}${Option.isSome(apiKey) ? "" : "   shown this once: keep it"}`,
    `  Data      ${database}`,
    ...(egressAllow.includes("loopback")
      ? ["  Egress    loopback addresses are allowed (HEADWATER_EGRESS_ALLOW), as suits development"]
      : []),
    "",
    `  Try       curl -H "Authorization: Bearer ${
      Option.isSome(apiKey) ? "$HEADWATER_API_KEY" : Redacted.value(key)
    }" ` +
    `${url}/v1/users/me`,
    "  Then      the walk-through in README.md",
    ""
  ].join("\n"))
}))
