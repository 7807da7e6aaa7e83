import { Schema } from "effect"

/** The fields of all events about accounts with apps. */
const about = {
  account_id: Schema.String.annotate({ description: "The id of the account with an app." }),
  app: Schema.String.annotate({ description: "The app's name in component code." }),
  ts: Schema.Int.annotate({ description: "When it happened. Unix time in milliseconds." })
}

const exampleAbout = { account_id: "apn_0Uz7P0aRk3WnXc5TzQmB", app: "shop", ts: 1760000120044 }

const Failing = Schema.Struct({
  type: Schema.Literal("account.failing"),
  ...about,
  error: Schema.String.annotate({ description: "What the provider said, or why it could not be asked." })
}).annotate({
  identifier: "AccountFailingEvent",
  title: "The token of an account can't be renewed",
  description:
    "The provider refused to renew it, or the token has ended and the provider can't be reached. Told once, until it works again.",
  examples: [{
    type: "account.failing",
    ...exampleAbout,
    error: "accounts.example.com: invalid_grant The refresh token was revoked"
  }]
})

const Recovered = Schema.Struct({ type: Schema.Literal("account.recovered"), ...about }).annotate({
  identifier: "AccountRecoveredEvent",
  title: "An account works again",
  description: "It has a new token after account.failing was told.",
  examples: [{ type: "account.recovered", ...exampleAbout }]
})

/** The events that tell an account about its accounts with apps, on the stream `$accounts` of its own log. */
export const all = [Failing, Recovered] as const

export const AppAccountEvent = Schema.Union(all)
export type AppAccountEvent = typeof AppAccountEvent.Type
