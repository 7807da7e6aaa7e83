import { Schema } from "effect"
import type { ConfigurableProp } from "./Component.ts"
import { AccountId, AppAccountId } from "./Id.ts"

/** An app's `$auth` as components see it: values by the names that its code knows, such as a token. */
export const Credentials = Schema.Record(Schema.String, Schema.Json)
export type Credentials = typeof Credentials.Type

/** A user's account with an app, such as a shop of theirs, without its credentials. */
export const AppAccount = Schema.Struct({
  id: AppAccountId,
  accountId: AccountId,
  /** The app's name in component code (`app: "shop"`). */
  app: Schema.String,
  name: Schema.String,
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type AppAccount = typeof AppAccount.Type

/** The value of an app prop. */
const Reference = Schema.Struct({ authProvisionId: AppAccountId })

/** True if a prop's value names an account with an app. */
export const isReference = Schema.is(Reference)

/** An app prop, and the account that it was given. */
export interface AppProp {
  readonly prop: string
  /** The app whose accounts it takes; undefined for any, if the code does not say. */
  readonly app: string | undefined
  readonly id: AppAccountId
}

/** The apps among a component's props that have an account. */
export const appProps = (
  declared: ReadonlyArray<ConfigurableProp>,
  props: Readonly<Record<string, unknown>>
): ReadonlyArray<AppProp> =>
  declared.flatMap(({ app, name, type }) => {
    const value = type === "app" && Object.hasOwn(props, name) ? props[name] : undefined
    if (!isReference(value)) return []
    return [{ prop: name, app: typeof app === "string" ? app : undefined, id: value.authProvisionId }]
  })
