import type { Account } from "@headwater/domain/Account"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Console, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { ServerConfig } from "./ServerConfig.ts"

/** What is sealed in the database does not open under this server's secret. */
export class SecretKeyMismatch extends Schema.TaggedError<SecretKeyMismatch>()("SecretKeyMismatch", {}) {
  override get message() {
    return "HEADWATER_SECRET_KEY: is not the one under which this database's secrets were sealed"
  }
}

/** The account there is from the first start on, and at that start its key. */
export class FirstStart extends Context.Service<FirstStart, {
  readonly account: Account
  readonly key: Redacted.Redacted | undefined
  /** The key was shown. */
  readonly noteShown: Effect.Effect<void>
}>()("@headwater/server/FirstStart") {
  /** Creates the account if there is none, before anybody can ask. */
  static readonly layer = Layer.effect(
    FirstStart,
    Effect.gen(function*() {
      const { apiKey } = yield* ServerConfig
      const accounts = yield* AccountLifecycle
      const keys = yield* ApiKeys
      const { account, key } = yield* accounts.createFirst({
        username: "admin",
        email: "admin@localhost",
        plan: "free",
        ...(Option.isSome(apiKey) ? { key: apiKey.value } : {})
      })
      yield* keys.reveal(account.id).pipe(Effect.catchTag("SealBroken", () => Effect.fail(new SecretKeyMismatch())))
      let unseen = key !== undefined && Option.isNone(apiKey)
      yield* Effect.addFinalizer(() =>
        unseen && key !== undefined
          ? Console.log(`The first account's API key, shown this once: ${Redacted.value(key)}`)
          : Effect.void
      )
      return {
        account,
        key,
        noteShown: Effect.sync(() => {
          unseen = false
        })
      }
    })
  )
}

/** Says where everything is, once the server answers: in a few lines at the first start, later in one. */
export const greeting = Layer.effectDiscard(Effect.gen(function*() {
  const { apiKey, dataDirectory, databaseUrl, egressAllow, url } = yield* ServerConfig
  const { account, key, noteShown } = yield* FirstStart
  const database = Option.isSome(databaseUrl) ? "the Postgres of DATABASE_URL" : `embedded Postgres in ${dataDirectory}`
  if (key === undefined) {
    yield* Console.log(`Headwater listens on ${url} (data: ${database}).`)
    return
  }
  const given = Option.isSome(apiKey)
  const loopback = egressAllow.includes("loopback")
  const shown = given ? "the one in HEADWATER_API_KEY" : `${Redacted.value(key)}   shown this once: keep it`
  const bearer = given ? "$HEADWATER_API_KEY" : Redacted.value(key)
  yield* Console.log([
    "",
    `  Headwater listens on ${url}`,
    "",
    `  Account   ${account.username} (${account.id})`,
    `  API key   ${shown}`,
    `  Data      ${database}`,
    ...(loopback
      ? ["  Egress    loopback addresses are allowed (HEADWATER_EGRESS_ALLOW), as suits development"]
      : []),
    "",
    `  Try       curl -H "Authorization: Bearer ${bearer}" ${url}/v1/users/me`,
    ...(loopback ? ["  Then      the walk-through in README.md"] : []),
    ""
  ].join("\n"))
  yield* noteShown
}))
