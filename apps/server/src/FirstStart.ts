import type { Account } from "@headwater/domain/Account"
import { version } from "@headwater/domain/Version"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Console, Context, Effect, Layer, Option, Redacted } from "effect"
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
      const { apiKey, showsSecrets } = yield* ServerConfig
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
      let unseen = key !== undefined && Option.isNone(apiKey) && showsSecrets
      yield* Effect.addFinalizer(() =>
        unseen && key !== undefined
          ? Console.log(`The first account's API key, shown only once: ${Redacted.value(key)}`)
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

/** Tells how to get another key, for somebody who did not see the first one. */
const anotherKey = (username: string) => `\`headwater key create ${username}\` prints one`

/** Says where everything is, once the server answers: to a person in a few lines at the first start, else in one. */
export const greeting = Effect.gen(function*() {
  const { apiKey, dataDirectory, databaseUrl, egressAllow, log, showsSecrets, url } = yield* ServerConfig
  const { account, key, noteShown } = yield* FirstStart
  const isEmbedded = Option.isNone(databaseUrl)
  const database = isEmbedded ? `embedded Postgres in ${dataDirectory}` : "the Postgres of DATABASE_URL"
  const given = Option.isSome(apiKey)
  yield* Effect.addFinalizer(() => Effect.logInfo("Headwater has stopped"))
  if (key === undefined || log === "json") {
    yield* Effect.logInfo(`Headwater listens on ${url} (console: ${url}/console, data: ${database})`).pipe(
      Effect.annotateLogs({
        url,
        version,
        data_directory: dataDirectory,
        database: isEmbedded ? "embedded" : "external"
      })
    )
    if (key === undefined) return
    const whichKey = given
      ? "its API key is the one in HEADWATER_API_KEY"
      : `its API key is not shown: ${anotherKey(account.username)}`
    return yield* Effect.logInfo(`The first account is made; ${whichKey}`).pipe(
      Effect.annotateLogs({ account_id: account.id, username: account.username })
    )
  }
  const shown = given
    ? "the one in HEADWATER_API_KEY"
    : showsSecrets
    ? `${Redacted.value(key)}   shown only once: save it`
    : `shown on a terminal only: ${anotherKey(account.username)}`
  yield* Console.log([
    "",
    `  Headwater listens on ${url}`,
    "",
    `  Console   ${url}/console`,
    `  Account   ${account.username} (${account.id})`,
    `  API key   ${shown}`,
    `  Data      ${database}`,
    ...(egressAllow.includes("loopback")
      ? ["  Egress    components and webhooks may reach loopback addresses (HEADWATER_EGRESS_ALLOW), for development"]
      : []),
    "",
    `  Next      in a second terminal \`npx headwater login --url ${url}\`, then \`npx headwater demo\``,
    ""
  ].join("\n"))
  yield* noteShown
})
