import type { BulkActionResource, BulkFilterInput } from "@headwater/api/BulkActionsApi"
import { Effect, Option, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as ApiGroup from "../resource/ApiGroup.ts"
import * as Kind from "../resource/Kind.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as Progress from "../text/Progress.ts"

const id = Argument.String("bulk-action").pipe(Argument.withDescription("Its id, which begins with ba_"))

const rate = CountFlag.make(
  "rate",
  "At most so many attempts, or runs, a second at each webhook, source or workflow"
).pipe(Flag.optional)

/** The flags of commands that begin an action. */
export const flags = {
  rate,
  dryRun: Flag.Boolean("dry-run").pipe(
    Flag.withDescription("Only count what matches"),
    Flag.withDefault(false)
  ),
  wait: Flag.Boolean("wait").pipe(
    Flag.withDescription("Wait for its end, also while it makes no progress for long; --no-wait: do not wait at all"),
    Flag.optional
  )
}

/** Between which events of an emitter. */
export const rangeFlags = {
  from: DeliveryFilters.flag("from", "From this event of the emitter on"),
  to: DeliveryFilters.flag("to", "Up to this event of the emitter")
}

const rateWords: FlagWords.Flags = { rate_limit: "--rate" }

/** The flag for each field of a request for many deliveries or events. */
export const words: FlagWords.Flags = {
  ...FlagWords.within("filter", { ...DeliveryFilters.words, from: "--from", to: "--to" }),
  ...rateWords
}

/** True for what is done with runs, and not with deliveries. */
const isOfRuns = ({ action }: BulkActionResource): boolean => action === "rerun" || action === "cancel_runs"

const shown = (action: BulkActionResource): string =>
  Output.table([
    ["Bulk action", action.id],
    ["Action", action.dry_run ? `${action.action} (dry run)` : action.action],
    ["Filter", JSON.stringify(action.filter)],
    ["State", action.state],
    ["Matched", String(action.matched)],
    ["Done", String(action.done)],
    ["Failed", String(action.failed)],
    ["Skipped", String(action.skipped)],
    ["Left", String(action.left)],
    ["Rate", `${action.rate_limit} a second`],
    ...(isOfRuns(action)
      ? [["Sources and workflows", `${action.programs.ended} of ${action.programs.total} ended`]]
      : [["Webhooks", `${action.webhooks.ended} of ${action.webhooks.total} ended`]]),
    ...action.waits_at.map((id) => ["Waits for", `${id}, which is paused`]),
    ...action.stopped_at.map(({ id, reason }) => ["Skipped at", `${id}, which is switched off (${reason})`]),
    ...(action.place_ms === null ? [] : [["Up to", `${Output.timeOfMs(action.place_ms)} UTC`]])
  ])

const isOver = ({ state }: BulkActionResource): boolean => state === "done" || state === "cancelled"

/** Looks without any progress, after which nobody waits any longer: a webhook that is paused holds an action for days. */
const mostIdleLooks = 20

const progressOf = ({ done, failed, matched, place_ms, skipped }: BulkActionResource): string =>
  [matched, done, failed, skipped, place_ms].join(" ")

const doingOf = ({ action, done, dry_run, failed, matched, skipped }: BulkActionResource): string =>
  dry_run ? `Counting: ${matched}` : `${action}: ${done + failed + skipped} of ${matched}`

/**
 * Waits for an action to end.
 *
 * @param patiently also while it makes no progress
 */
const ended = Effect.fnUntraced(function*(begun: BulkActionResource, patiently: boolean) {
  const { call } = yield* ApiAccess
  let last = begun
  let idle = 0
  const look = Effect.suspend(() =>
    PassingFailure.retry(call(({ bulkActions }) => bulkActions.get({ params: { id: begun.id }, query: {} })))
  )
  yield* look.pipe(
    Effect.map(({ data }) => {
      idle = progressOf(data) === progressOf(last) ? idle + 1 : 0
      last = data
      return isOver(data) || (!patiently && idle >= mostIdleLooks)
    }),
    Effect.repeat({ until: (isEnough) => isEnough, schedule: Schedule.spaced("500 millis") }),
    Progress.during(() => doingOf(last))
  )
  return last
})

/** An action to begin. */
export interface Begun {
  readonly action: BulkActionResource["action"]
  readonly filter: BulkFilterInput
  readonly dryRun: boolean
  readonly rate: Option.Option<number>
  readonly rerun?: NonNullable<BulkActionResource["rerun"]>
}

/** Tells what an action has done: once it has ended, where that is waited for. */
export const finish = Effect.fnUntraced(
  function*(begun: BulkActionResource, wait: Option.Option<boolean>, json: boolean) {
    const isWaitedFor = Option.getOrElse(wait, () => true)
    const last = isWaitedFor ? yield* ended(begun, Option.isSome(wait)) : begun
    const goesOn = isOver(last) ? "" : `\n\nIt goes on. See how far: headwater bulk get ${last.id}`
    yield* Output.print(json, last, shown(last) + goesOn)
    if (isWaitedFor && last.failed > 0) {
      return yield* new CommandRefused({
        message: isOfRuns(last)
          ? `${last.failed} failed. \`headwater errors --since 1h\` shows what fails in programs`
          : `${last.failed} did not arrive. \`headwater deliveries list --since 1h\` shows why`
      })
    }
  }
)

/** Begins an action, and tells what it has done. */
export const begin = Effect.fnUntraced(
  function*({ action, dryRun, filter, rate, rerun }: Begun, wait: Option.Option<boolean>, json: boolean) {
    const { call } = yield* ApiAccess
    const payload = {
      action,
      filter,
      dry_run: dryRun,
      ...DeliveryFilters.given("rate_limit", rate),
      ...(rerun === undefined ? {} : { rerun })
    }
    const { data: begun } = yield* call(({ bulkActions }) => bulkActions.create({ headers: {}, payload }))
    yield* finish(begun, wait, json)
  }
)

const run = Command.make(
  "run",
  {
    action: Argument.Literals("action", ["retry", "replay", "skip", "cancel"]).pipe(
      Argument.withDescription("What to do with what matches")
    ),
    ...DeliveryFilters.flags,
    ...rangeFlags,
    ...flags,
    json: Output.json
  },
  Effect.fnUntraced(function*({ action, dryRun, from, json, rate, to, wait, ...filters }) {
    const filter = {
      ...(yield* DeliveryFilters.query(filters)),
      ...DeliveryFilters.given("from", from),
      ...DeliveryFilters.given("to", to)
    }
    yield* begin({ action, filter, dryRun, rate }, wait, json)
  }, FlagWords.inFlags(words))
).pipe(
  Command.withDescription("Do something with many deliveries or events"),
  Command.withExamples([
    {
      command: "headwater bulk run retry --state exhausted --since 2d --dry-run",
      description: "How many were given up"
    },
    {
      command: "headwater bulk run replay --webhook receiver --since 1h --rate 20",
      description: "Send the last hour again"
    }
  ])
)

const list = Command.make(
  "list",
  {
    limit: CountFlag.limit(20),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, limit }) {
    const found = (yield* ApiGroup.list(Kind.bulkAction.group, {}, limit)) as unknown as ReadonlyArray<
      BulkActionResource
    >
    const rows = found.map((action) => [
      action.id,
      action.action,
      action.state,
      String(action.matched),
      String(action.done),
      String(action.failed),
      String(action.skipped),
      String(action.left),
      Output.timeOfMs(action.created_at_ms)
    ])
    yield* Output.list(json, found, {
      heads: ["ID", "ACTION", "STATE", "MATCHED", "DONE", "FAILED", "SKIPPED", "LEFT", "BEGAN (UTC)"],
      rows,
      none:
        "There is no bulk action yet. Count first what one would do: headwater bulk run retry --state exhausted --dry-run"
    })
  })
).pipe(Command.withDescription("List bulk actions, the newest first"), Command.withAlias("ls"))

const get = Command.make(
  "get",
  { id, json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ bulkActions }) => bulkActions.get({ params: { id }, query: {} }))
    yield* Output.print(json, data, shown(data))
  })
).pipe(Command.withDescription("Show how far a bulk action has come"), Command.withAlias("show"))

const control = (name: "pause" | "cancel", description: string) =>
  Command.make(
    name,
    { id, json: Output.json },
    Effect.fnUntraced(function*({ id, json }) {
      const { call } = yield* ApiAccess
      const { data } = yield* call(({ bulkActions }) => bulkActions[name]({ params: { id }, headers: {}, query: {} }))
      yield* Output.print(json, data, shown(data))
    })
  ).pipe(Command.withDescription(description))

const resume = Command.make(
  "resume",
  { id, rate, json: Output.json },
  Effect.fnUntraced(function*({ id, json, rate }) {
    const { call } = yield* ApiAccess
    if (Option.isSome(rate)) {
      yield* call(({ bulkActions }) => bulkActions.update({ params: { id }, payload: { rate_limit: rate.value } }))
    }
    const { data } = yield* call(({ bulkActions }) => bulkActions.resume({ params: { id }, headers: {}, query: {} }))
    yield* Output.print(json, data, shown(data))
  }, FlagWords.inFlags(rateWords))
).pipe(Command.withDescription("Have a bulk action go on, at another rate if you like"))

/** The commands for many deliveries or events at once. */
export const bulkCommand = Command.make("bulk").pipe(
  Command.withDescription("Retry, replay, skip or give up many deliveries"),
  Command.withSubcommands([
    run,
    list,
    get,
    control("pause", "Have a bulk action wait"),
    resume,
    control("cancel", "End a bulk action; what it has done remains")
  ]),
  Command.provide(ApiAccess.layer)
)
