import type { Account } from "@headwater/domain/Account"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Programs } from "@headwater/log/Programs"
import { Webhooks } from "@headwater/log/Webhooks"
import { Console, Context, Effect, Layer, Option, Redacted } from "effect"
import { FirstPartyPublishing } from "./FirstPartyPublishing.ts"
import * as SecretKey from "./SecretKey.ts"
import { ServerConfig } from "./ServerConfig.ts"

/** The account there is from the first start on, and at that start its key. */
export class FirstStart extends Context.Service<FirstStart, {
  readonly account: Account
  readonly key: Redacted.Redacted | undefined
  /** The key was shown. */
  readonly noteShown: Effect.Effect<void>
}>()("@headwater/server/FirstStart") {
  /** Creates the account if there is none, before anybody can ask, and seals what an older server left unsealed. */
  static readonly layer = Layer.effect(
    FirstStart,
    Effect.gen(function*() {
      const { apiKey } = yield* ServerConfig
      const accounts = yield* AccountLifecycle
      const programs = yield* Programs
      const webhooks = yield* Webhooks
      yield* SecretKey.claim
      const { account, key } = yield* accounts.createFirst({
        username: "admin",
        email: "admin@localhost",
        plan: "free",
        ...(Option.isSome(apiKey) ? { key: apiKey.value } : {})
      })
      yield* programs.sealProps
      yield* webhooks.sealPasswords
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

/** How long the greeting waits for the registry to have what belongs there. */
const publishingPatience = "10 seconds"

/** Says where everything is, once the server answers: in a few lines at the first start, later in one. */
export const greeting = Layer.effectDiscard(Effect.gen(function*() {
  yield* Effect.timeoutOption((yield* FirstPartyPublishing).done, publishingPatience)
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
