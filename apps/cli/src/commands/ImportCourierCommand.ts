import type { CourierResource } from "@headwater/api/CouriersApi"
import * as ListItems from "@headwater/api/ListItems"
import { longestSeconds, usualSeconds } from "@headwater/domain/Courier"
import * as TimeSpan from "@headwater/domain/TimeSpan"
import { Clock, Console, Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as TimeFlag from "../given/TimeFlag.ts"
import * as CourierStep from "../moving/CourierStep.ts"
import * as MovedProps from "../moving/MovedProps.ts"
import * as MovingRecord from "../moving/MovingRecord.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"

const names = (flag: string, description: string) =>
  Flag.String(flag).pipe(
    Flag.withMetavar("a,b,…"),
    Flag.withDescription(description),
    Flag.map((text) => text.split(",").map((name) => name.trim()).filter((name) => name !== "")),
    Flag.withDefault([] as ReadonlyArray<string>)
  )

const expires = Flag.String("expires").pipe(
  Flag.withMetavar("duration"),
  Flag.withDescription(
    `How long the step may bring things, such as 90m or 2d; 1m to 7d. Default: ${TimeSpan.textOf(usualSeconds * 1_000)}`
  ),
  Flag.filterMap(
    (text) => Option.filter(TimeFlag.secondsOf(text), (seconds) => seconds >= 60 && seconds <= longestSeconds),
    () => "a duration from 1m to 7d, such as 3h"
  ),
  Flag.withDefault(usualSeconds)
)

/** The data stores of the set-up that an import has made, by their ids there. */
const movedStores = Effect.fnUntraced(function*(into: string) {
  if (Option.isNone(yield* MovingRecord.read(into))) return new Map<string, string>()
  return (yield* SetupFolder.read(into)).ids
})

/** The data store here of one there: that of the import, else one of the name, which is made. */
const storeFor = Effect.fnUntraced(function*(given: string, moved: ReadonlyMap<string, string>) {
  const { call } = yield* ApiAccess
  const [there = "", name] = given.split("=", 2)
  const reference = name ?? moved.get(MovedProps.storeRef(there)) ?? there
  const found = yield* call(({ dataStores }) => dataStores.get({ params: { id: reference }, query: {} })).pipe(
    Effect.catchTag(
      "NotFoundProblem",
      () => call(({ dataStores }) => dataStores.create({ headers: {}, payload: { name: name ?? there } }))
    )
  )
  return [there, found.data.id] as const
})

const linesOf = (courier: CourierResource, now: number) => {
  const { arrived, expires_at, files, id, stores, variables } = courier
  const brings = [...Object.keys(stores), ...variables, ...(files ? ["files"] : [])]
  const came = (kind: string, name = "") => arrived.find((each) => each.kind === kind && each.name === name)
  const lines = [
    ...Object.entries(stores).map(([there, here]) =>
      [`${there} -> ${here}`, came("data_store", there), "entries"] as const
    ),
    ...(variables.length > 0 ? [[variables.join(", "), came("variables"), "variables"] as const] : []),
    ...(files ? [["files", came("files"), "files"] as const] : [])
  ]
  return [
    `${id}: ${
      expires_at * 1_000 <= now ? "has ended" : `until ${Output.time(expires_at)}`
    }, for ${brings.length} things`,
    ...lines.map(([what, arrival, unit]) =>
      `  ${what}: ${
        arrival === undefined
          ? "nothing yet"
          : `${arrival.items} ${unit}, ${arrival.bytes} bytes, the last at ${Output.time(arrival.at)}`
      }`
    )
  ]
}

const status = Command.make(
  "status",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call } = yield* ApiAccess
    const found = yield* call(({ couriers }) =>
      Stream.runCollect(ListItems.items((place) => couriers.list({ query: { limit: 100, ...place } })))
    )
    const now = yield* Clock.currentTimeMillis
    yield* Output.print(
      json,
      found,
      found.length === 0
        ? "No couriers. Make one with: headwater import courier --stores ds_…"
        : found.flatMap((courier) => linesOf(courier, now)).join("\n")
    )
  })
).pipe(Command.withDescription("Show what couriers have brought"), Command.provide(ApiAccess.layer))

const remove = Command.make(
  "delete",
  { id: Argument.String("courier").pipe(Argument.withDescription("Its id, which begins with cr_")), json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { call } = yield* ApiAccess
    yield* call(({ couriers }) => couriers.delete({ params: { id }, query: {} }))
    yield* Output.print(json, { id, deleted: true }, `Deleted ${id}. What it has brought stays.`)
  })
).pipe(Command.withDescription("Refuse a courier's token from now on"), Command.provide(ApiAccess.layer))

/** Prints a step that brings from elsewhere what no call gives. */
export const courierCommand = Command.make(
  "courier",
  {
    stores: names("stores", "Data stores, by their ids there; ds_…=name for one of another name here"),
    variables: names("variables", "Environment variables, which are set as secrets"),
    files: Flag.Boolean("files").pipe(
      Flag.withDescription("Also files: attached ones, those of the file store, and those in /tmp"),
      Flag.withDefault(false)
    ),
    project: Flag.String("project").pipe(
      Flag.withDescription(
        "The project here that the variables are for, by name, slug or id. Default: all of the account"
      ),
      Flag.optional
    ),
    expires,
    into: Flag.String("into").pipe(
      Flag.withDescription("The folder of the set-up that an import has made, which knows its data stores"),
      Flag.withDefault("moved")
    ),
    json: Output.json
  },
  Effect.fnUntraced(
    function*({ expires, files, into, json, project, stores, variables }) {
      if (!files && stores.length + variables.length === 0) {
        return yield* new CommandRefused({ message: "name what it is to bring: --stores, --variables or --files" })
      }
      const { call } = yield* ApiAccess
      const moved = yield* movedStores(into)
      const found = yield* Effect.forEach(stores, (given) => storeFor(given, moved))
      const whose = yield* Naming.fieldOf("project_id", [Kind.project], project)
      const { data } = yield* call(({ couriers }) =>
        couriers.create({
          headers: {},
          payload: {
            stores: Object.fromEntries(found),
            variables,
            files,
            expires_in_seconds: expires,
            ...whose
          }
        })
      )
      const { id, token, url } = data
      const code = CourierStep.codeOf({ url, token, stores: found.map(([there]) => there), variables, files })
      yield* Console.log(
        json ? JSON.stringify({ id, url, stores: data.stores, expires_at: data.expires_at, code }) : code
      )
      if (!json) {
        yield* Console.error(
          `It brings to ${url} until ${
            Output.time(data.expires_at)
          }: see what has come with \`headwater import courier status\``
        )
      }
    },
    FlagWords.inFlags({
      stores: "--stores",
      variables: "--variables",
      files: "--files",
      expires_in_seconds: "--expires",
      project_id: "--project"
    })
  )
).pipe(
  Command.withDescription("Print a step to paste there, which brings data stores, variables and files here"),
  Command.provide(ApiAccess.layer),
  Command.withSubcommands([status, remove])
)
