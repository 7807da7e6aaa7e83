import { type Account, isUsername, ownLimitsOf, Plan, Quota, usernameForm } from "@headwater/domain/Account"
import { type AccountChange, Accounts } from "@headwater/log/access/Accounts"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Operator from "../access/Operator.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as AccountFlag from "../given/AccountFlag.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as Output from "../text/Output.ts"
import * as Progress from "../text/Progress.ts"

const plan = Flag.Literals("plan", Plan.literals).pipe(
  Flag.withDescription("The plan that the account is on")
)

const quotas = {
  dailyInvocationsQuota: AccountFlag.limit("daily-invocations-quota", "Invocations per UTC day"),
  dailyComputeTimeQuotaMs: AccountFlag.timeLimit("daily-compute-time-quota", "Compute time per UTC day"),
  billingPeriodInvocationsQuota: AccountFlag.limit("billing-period-invocations-quota", "Invocations per billing period")
}

const serverDefault = "default"
const longestRetentionDays = 36_500

const retention = Flag.String("retention-days").pipe(
  Flag.withMetavar("N|default"),
  Flag.withDescription(`How many days to keep events; ${serverDefault} for HEADWATER_RETENTION_DAYS`),
  Flag.filterMap(
    (text) => {
      if (text === serverDefault) return Option.some(null)
      const days = /^\d+$/.test(text) ? Number(text) : 0
      return days >= 1 && days <= longestRetentionDays ? Option.some(days) : Option.none()
    },
    () => `a whole number from 1 to ${longestRetentionDays} or ${serverDefault}`
  ),
  Flag.optional
)

const valueOf = (account: Account) => ({
  id: account.id,
  username: account.username,
  email: account.email,
  plan: account.plan,
  daily_invocations_quota: account.dailyInvocationsQuota,
  daily_compute_time_quota: account.dailyComputeTimeQuotaMs,
  billing_period_invocations_quota: account.billingPeriodInvocationsQuota,
  own_limits: ownLimitsOf(account),
  retention_days: account.retentionDays,
  suspended_at: account.suspendedAt,
  created_at: account.createdAt
})

const days = (value: number | null): string => value === null ? serverDefault : String(value)

/** Those that the account has set itself. */
const ownLimits = (account: Account) => {
  const own = ownLimitsOf(account)
  const set = Quota.literals.filter((quota) => own[quota] !== null)
  return set.length === 0
    ? "none"
    : set.map((quota) => `${quota.replaceAll("_", " ")} ${AccountFlag.quotaText(quota, own[quota])}`).join(", ")
}

const suspension = ({ suspendedAt }: Account): string =>
  suspendedAt === null ? "no" : `since ${Output.time(suspendedAt)}`

const linesOf = (account: Account, more: ReadonlyArray<readonly [string, string]> = []) =>
  Output.table([
    ["Account", account.id],
    ["Username", account.username],
    ["Email", account.email],
    ["Plan", account.plan],
    ["Daily invocations quota", AccountFlag.limitText(account.dailyInvocationsQuota)],
    ["Daily compute time quota", AccountFlag.timeLimitText(account.dailyComputeTimeQuotaMs)],
    ["Billing period invocations quota", AccountFlag.limitText(account.billingPeriodInvocationsQuota)],
    ["Limits of its own", ownLimits(account)],
    ["Retention (days)", days(account.retentionDays)],
    ["Suspended", suspension(account)],
    ["Created", Output.time(account.createdAt)],
    ...more
  ])

const create = Command.make(
  "create",
  {
    username: Argument.String("username").pipe(
      Argument.withDescription("The name that the account has"),
      Argument.filter(isUsername, () => usernameForm)
    ),
    email: AccountFlag.email,
    plan: plan.pipe(Flag.withDefault("free")),
    ...quotas,
    retentionDays: retention,
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, ...given }) {
    const { account, key } = yield* Operator.createAccount({
      username: given.username,
      email: given.email,
      plan: given.plan,
      dailyInvocationsQuota: Option.getOrNull(given.dailyInvocationsQuota),
      dailyComputeTimeQuotaMs: Option.getOrNull(given.dailyComputeTimeQuotaMs),
      billingPeriodInvocationsQuota: Option.getOrNull(given.billingPeriodInvocationsQuota),
      retentionDays: Option.getOrNull(given.retentionDays)
    })
    const text = Redacted.value(key)
    yield* Output.print(
      json,
      { ...valueOf(account), api_key: text },
      linesOf(account, [["API key", `${text}   shown only once: save it`]])
    )
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Create an account; print its id and its key, which is shown only once"))

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const found = yield* (yield* Accounts).list
    const rows = found.map((account) => [
      account.id,
      account.username,
      account.email,
      account.plan,
      AccountFlag.limitText(account.dailyInvocationsQuota),
      AccountFlag.timeLimitText(account.dailyComputeTimeQuotaMs),
      AccountFlag.limitText(account.billingPeriodInvocationsQuota),
      days(account.retentionDays),
      account.suspendedAt === null ? "active" : "suspended",
      Output.time(account.createdAt)
    ])
    const heads = [
      "ID",
      "USERNAME",
      "EMAIL",
      "PLAN",
      "INVOCATIONS/DAY",
      "COMPUTE/DAY",
      "INVOCATIONS/PERIOD",
      "RETENTION",
      "STATE",
      "CREATED"
    ]
    yield* Output.list(json, found.map(valueOf), {
      heads,
      rows,
      none: "There is no account yet. Make the first with: headwater tenants create NAME --email ADDRESS"
    })
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("List the accounts, the oldest first"), Command.withAlias("ls"))

const named = Argument.String("account").pipe(Argument.withDescription("Its id or username"))

const suspend = Command.make(
  "suspend",
  { account: named, json: Output.json },
  Effect.fnUntraced(function*({ account, json }) {
    const { id } = yield* Operator.findAccount(account)
    const suspended = yield* Effect.flatMap((yield* Accounts).suspend(id), Effect.fromOption)
    yield* Output.print(
      json,
      valueOf(suspended),
      `Suspended ${id}. Running servers refuse its requests within a second and start none of its work until you resume it.`
    )
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Stop all work of an account; nothing of it is lost"))

const resume = Command.make(
  "resume",
  { account: named, json: Output.json },
  Effect.fnUntraced(function*({ account, json }) {
    const { id } = yield* Operator.findAccount(account)
    const resumed = yield* Effect.flatMap((yield* Accounts).resume(id), Effect.fromOption)
    yield* Output.print(
      json,
      valueOf(resumed),
      `Resumed ${id}. Its work continues within a second from where it stopped.`
    )
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Resume a suspended account"))

const remove = Command.make(
  "delete",
  {
    account: named,
    yes: Confirmation.flag.pipe(
      Flag.withDescription("Confirm the deletion, which cannot be undone. Somebody at a terminal is asked")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ account, json, yes }) {
    const { id, username } = yield* Operator.findAccount(account)
    const what = `${username} (${id}) with its sources, workflows, webhooks, events and keys`
    yield* Confirmation.insist(`Permanently remove ${what}?`, yes)
    yield* Progress.during(() => `Deleting ${username}`)(Operator.eraseAccount(id))
    yield* Output.print(json, { id, deleted: true }, `Deleted ${id} and everything that belonged to it.`)
  }, Effect.provide(Operator.layer))
).pipe(
  Command.withDescription("Permanently remove an account and everything that belongs to it"),
  Command.withAlias("rm")
)

const set = Command.make(
  "set",
  {
    account: named,
    username: AccountFlag.username.pipe(Flag.optional),
    email: AccountFlag.email.pipe(Flag.optional),
    plan: plan.pipe(Flag.optional),
    ...quotas,
    retentionDays: retention,
    json: Output.json
  },
  Effect.fnUntraced(function*({ account: named, json, ...given }) {
    const change: AccountChange = {
      username: Option.getOrUndefined(given.username),
      email: Option.getOrUndefined(given.email),
      plan: Option.getOrUndefined(given.plan),
      dailyInvocationsQuota: Option.getOrUndefined(given.dailyInvocationsQuota),
      dailyComputeTimeQuotaMs: Option.getOrUndefined(given.dailyComputeTimeQuotaMs),
      billingPeriodInvocationsQuota: Option.getOrUndefined(given.billingPeriodInvocationsQuota),
      retentionDays: Option.getOrUndefined(given.retentionDays)
    }
    if (Object.values(change).every((value) => value === undefined)) {
      return yield* new CommandRefused({ message: "Nothing to change: give at least one flag" })
    }
    const { id } = yield* Operator.findAccount(named)
    const changed = yield* Effect.flatMap((yield* Accounts).update(id, change), Effect.fromOption)
    yield* Output.print(json, valueOf(changed), linesOf(changed))
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Change an account's name, email, plan, quotas or retention"))

/** The commands for an operator's work with accounts. */
export const tenantsCommand = Command.make("tenants").pipe(
  Command.withDescription("Create, list, change, suspend and delete accounts"),
  Command.withSubcommands([create, list, set, suspend, resume, remove])
)
