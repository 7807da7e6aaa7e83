import { Clock, Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import * as AccessFile from "../access/AccessFile.ts"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import { timeOf } from "../given/TimeFlag.ts"
import * as Finishing from "../moving/Finishing.ts"
import * as HostedApi from "../moving/HostedApi.ts"
import * as Switching from "../moving/Switching.ts"
import * as SwitchThere from "../moving/SwitchThere.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import { into, nameOf } from "./ImportFinishCommand.ts"

/** Has the key of the service. It is no argument, which others of the machine can see. */
const keyVariable = "PD_API_KEY"

interface Said {
  readonly name: string
  readonly it: Switching.Switch
  /** The way in which the workflow there goes off. */
  readonly off: "by the service's API" | "done, as you say" | "by hand"
  readonly from: string
  readonly since: number | undefined
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? "" : "s"}`

const all = (sendings: number, runs: number) => `${counted(sendings, "sending")} and ${counted(runs, "run")}`

const heldLines = (held: ReadonlyArray<Switching.Held>, since: number | undefined): ReadonlyArray<string> => {
  if (held.length === 0) return ["  held     nothing"]
  const ways = Map.groupBy(held, ({ way }) => way)
  const isMeant = ({ at }: Switching.Held) => since !== undefined && at >= since
  return [
    ...[...ways].map(([way, each]) => {
      const times = each.map(({ at }) => at).toSorted((one, other) => one - other)
      const meant = since === undefined ? "" : `, ${each.filter(isMeant).length} of them sent`
      return `  held     ${each.length}  ${way}: from ${Output.timeOfMs(times[0]!)} to ${
        Output.timeOfMs(times.at(-1)!)
      } UTC${meant}`
    }),
    since === undefined
      ? "           None of that is sent: --send-held-since sends what is held since a time"
      : `           Sent is what is held since ${Output.timeOfMs(since)} UTC`
  ]
}

/** All that is going to happen, in its order. */
const linesOf = ({ from, it, name, off, since }: Said): ReadonlyArray<string> => {
  const isInShadow = Switching.isInShadow(it)
  const { deliveries, endpoint, runs, sources, there: [workflow, ...triggers], workflow: here } = it
  return [
    `${name}${isInShadow ? "" : " is live"}`,
    ...(isInShadow
      ? [
        `  there    switch off ${workflow}: ${off}${
          off === "by hand" ? `, and then give --off-there: ${SwitchThere.byHand(from, workflow ?? "")}` : ""
        }`,
        ...triggers.map((id) => `  there    ${id} may go on: switch it off once no workflow there needs it`),
        ...sources.filter(({ shadow }) => shadow === true).map((source) =>
          `  here     the source ${source.name} (${source.id}) leaves shadow`
        ),
        `  here     the workflow ${here.name} (${here.id}) leaves shadow`
      ]
      : []),
    ...(endpoint === null ? [] : [`  callers  have them use ${endpoint}`]),
    ...heldLines([...deliveries, ...runs], since)
  ]
}

/** Changes a workflow over: what there has sent until now is sent from here. */
export const switchCommand = Command.make(
  "switch",
  {
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Its name in `headwater import status`")),
    offThere: Flag.Boolean("off-there").pipe(
      Flag.withDescription(
        `Say that it is switched off there. Not needed with the key of the service in ${keyVariable}`
      ),
      Flag.withDefault(false)
    ),
    from: HostedApi.fromFlag("The base URL of the service's API"),
    org: Flag.String("org").pipe(Flag.withDescription("The id of the workspace that it is in there"), Flag.optional),
    sendHeldSince: Flag.String("send-held-since").pipe(
      Flag.withDescription("Send what is held since a time: ISO 8601, or so long ago, such as 30m, 12h or 7d"),
      Flag.optional
    ),
    yes: Confirmation.flagOfPlan,
    into,
    json: Output.json
  },
  Effect.fnUntraced(function*({ from, into, json, offThere, org, sendHeldSince, workflow, yes }) {
    const since = Option.isNone(sendHeldSince) ? undefined : yield* timeOf("--send-held-since", sendHeldSince.value)
    const { standings } = yield* Finishing.read(into)
    const standing = yield* Finishing.named(standings, workflow)
    const it = yield* Switching.read(standing)
    const isInShadow = Switching.isInShadow(it)
    const key = isInShadow && !offThere ? yield* AccessFile.variable(keyVariable) : Option.none<string>()
    const off = !isInShadow || offThere ? "done, as you say" : Option.isSome(key) ? "by the service's API" : "by hand"
    const name = nameOf(standing)
    if (!json) yield* Console.log(harmless(linesOf({ name, it, off, from, since }).join("\n")))
    if (!isInShadow && since === undefined) {
      return yield* Output.print(json, { workflow: name, changed: false }, "There is nothing to change over")
    }
    if (off === "by hand") {
      return yield* new CommandRefused({
        message:
          `${standing.movedFrom} still runs there: both would send. Switch it off, and give --off-there, or set ` +
          `${keyVariable} to have it switched off`
      })
    }
    const mayAsk = !json && (yield* Confirmation.isAtTerminal)
    if (!yes && !mayAsk) return yield* new CommandRefused({ message: "This waits for a yes: give --yes" })
    if (!yes && !(yield* Prompt.Confirm({ message: "Do this?" }))) return
    if (Option.isSome(key)) {
      const service = { from, key: Redacted.make(key.value), org: Option.getOrUndefined(org) }
      yield* SwitchThere.off(service, standing.movedFrom)
    }
    const offAt = yield* Clock.currentTimeMillis
    if (isInShadow) yield* Switching.goLive(it)
    if (isInShadow) yield* Finishing.keepLive(into, standing)
    const after = yield* Switching.read(standing)
    const sent = since === undefined ? undefined : yield* Switching.sendHeld(after, since)
    const between = since === undefined
      ? [...after.deliveries, ...after.runs].filter(({ at }) => at >= offAt).length
      : 0
    yield* Output.print(
      json,
      {
        workflow: name,
        changed: isInShadow,
        ...(offThere ? {} : { off_there_at: new Date(offAt).toISOString() }),
        held: { deliveries: after.deliveries.length, runs: after.runs.length },
        under_way: after.underWay,
        sent: sent ?? { deliveries: 0, runs: 0 }
      },
      [
        ...(isInShadow ? [`${name} is live since ${new Date(offAt).toISOString()}`] : []),
        ...(sent === undefined ? [] : [`On their way: ${all(sent.deliveries, sent.runs)}`]),
        ...(between === 0
          ? []
          : [
            `${between} came while it changed over, and are held: send them with --send-held-since ${
              new Date(offAt).toISOString()
            }`
          ]),
        ...(after.underWay === 0
          ? []
          : [
            `${counted(after.underWay, "run")} in shadow ${
              after.underWay === 1 ? "goes" : "go"
            } on and will be held: look at \`headwater import switch ${name}\` again when ${
              after.underWay === 1 ? "it has" : "they have"
            } ended`
          ]),
        ...(isInShadow && offThere && since === undefined
          ? ["If it was off there before this, give --send-held-since with the time since when"]
          : [])
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Change a workflow over that runs here in shadow: from now on it sends, and no longer there"),
  Command.provide(HostedApi.layer),
  Command.provide(ApiAccess.layer)
)
