import type { AccountSettings } from "@headwater/api/UsersApi"
import { Quota } from "@headwater/domain/Account"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as AccountFlag from "../given/AccountFlag.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const quotaNames: Readonly<Record<Quota, string>> = {
  daily_compute_time: "Compute time of the day",
  daily_invocations: "Invocations of the day",
  billing_period_invocations: "Invocations of the billing period"
}

const print = (json: boolean, settings: AccountSettings) => {
  const { email, id, limits, operator_limits, own_limits, used, username } = settings
  const account = [["Account", id], ["Username", username], ["Email", email]]
  const quotas = Quota.literals.map((quota) => [
    quotaNames[quota],
    AccountFlag.quotaText(quota, used[quota]),
    ...[limits, own_limits, operator_limits].map((those) => AccountFlag.quotaText(quota, those[quota]))
  ])
  const head = ["QUOTA", "USED", "LIMIT", "YOUR OWN", "OPERATOR'S"]
  return Output.print(json, settings, harmless(`${Output.table(account)}\n\n${Output.table([head, ...quotas])}`))
}

const get = Command.make(
  "get",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ users }) => users.settings({ query: {} }))
    yield* print(json, data)
  })
).pipe(Command.withAlias("show"), Command.withDescription("Show your account, its limits, and what of them is used"))

const limits = {
  daily_compute_time: AccountFlag.timeLimit("daily-compute-time-limit", "Compute time per UTC day"),
  daily_invocations: AccountFlag.limit("daily-invocations-limit", "Invocations per UTC day"),
  billing_period_invocations: AccountFlag.limit("billing-period-invocations-limit", "Invocations per billing period")
}

const flags = {
  username: "--username",
  email: "--email",
  "own_limits.daily_compute_time": "--daily-compute-time-limit",
  "own_limits.daily_invocations": "--daily-invocations-limit",
  "own_limits.billing_period_invocations": "--billing-period-invocations-limit"
}

const given = <A>(values: Readonly<Record<string, Option.Option<A>>>): Readonly<Record<string, A>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => Option.isSome(value) ? [[name, value.value]] : [])
  )

const update = Command.make(
  "update",
  {
    username: AccountFlag.username.pipe(Flag.optional),
    email: AccountFlag.email.pipe(Flag.optional),
    ...limits,
    json: Output.json
  },
  Effect.fnUntraced(function*({ email, json, username, ...limits }) {
    const own = given(limits)
    const payload = { ...given({ username, email }), ...(Object.keys(own).length === 0 ? {} : { own_limits: own }) }
    if (Object.keys(payload).length === 0) {
      return yield* new CommandRefused({ message: "Nothing to change: give at least one flag" })
    }
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ users }) => users.update({ payload })).pipe(FlagWords.inFlags(flags))
    yield* print(json, data)
  })
).pipe(Command.withDescription("Change what is given; no limit of yours is above the operator's"))

/** The commands for an account's work with its own settings. */
export const settingsCommand = Command.make("settings").pipe(
  Command.withDescription("Show and change your account's name, address and limits"),
  Command.withSubcommands([get, update]),
  Command.provide(ApiAccess.layer)
)
