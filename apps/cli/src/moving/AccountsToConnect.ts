/** Tells which accounts with apps can be brought, and which have to be connected anew. */
import { Predicate, Schema } from "effect"
import { idOf } from "./ArchiveFetch.ts"

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** An account as the service answers it. */
export const Account = Schema.Struct({
  id: idOf("apn"),
  name: nullable(Schema.String),
  app: nullable(Schema.Union([
    Schema.String,
    Schema.Struct({
      name_slug: nullable(Schema.String),
      name: nullable(Schema.String),
      auth_type: nullable(Schema.String)
    })
  ])),
  credentials: nullable(Schema.Record(Schema.String, Schema.Json))
})
export type Account = typeof Account.Type

/** By the ids of the accounts. */
export type Credentials = Readonly<Record<string, Readonly<Record<string, Schema.Json>>>>

const ofAccount = ({ credentials }: Account) => Object.keys(credentials ?? {}).length > 0 ? credentials : undefined

/** All credentials that the service gave. */
export const credentialsOf = (accounts: ReadonlyArray<Account>): Credentials =>
  Object.fromEntries(accounts.flatMap((account) => {
    const credentials = ofAccount(account)
    return credentials === undefined || credentials === null ? [] : [[account.id, credentials] as const]
  }))

const appOf = ({ app }: Account) => Predicate.isString(app) ? app : app?.name_slug ?? app?.name ?? ""

/** The reason why an account has to be connected anew; null if its credentials are all that it needs. */
const reasonOf = (account: Account): string | null => {
  const credentials = ofAccount(account)
  const { app } = account
  const isOAuth = !Predicate.isString(app) && app?.auth_type === "oauth" ||
    Object.keys(credentials ?? {}).some((name) => name.startsWith("oauth_"))
  const client = credentials?.["oauth_client_id"]
  if (isOAuth && Predicate.isString(client)) {
    return `is over OAuth with your client ${client}: connect it here with that client, since its token ends`
  }
  if (isOAuth) return "is over OAuth with the service's own client: connect it here with a client of your own"
  return credentials === undefined || credentials === null
    ? "the service does not give its credentials: connect it here with those that you have elsewhere"
    : null
}

/** An account without any secret. */
export const shownOf = (account: Account) => ({
  id: account.id,
  name: account.name ?? "",
  app: appOf(account),
  connect: reasonOf(account)
})
