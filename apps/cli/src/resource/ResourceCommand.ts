/** The commands about things of a kind: to list, show, make, change, pause, resume and delete them. */
import { Effect, Option, Predicate, type Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as ThingText from "../text/ThingText.ts"
import * as ApiGroup from "./ApiGroup.ts"
import * as FieldFlag from "./FieldFlag.ts"
import * as Kind from "./Kind.ts"
import * as Naming from "./Naming.ts"
import type { Address, Resource } from "./Resource.ts"

/** An argument that names a thing of a kind. */
export const argumentOf = (kind: Kind.Kind) =>
  Argument.String(kind.one.replaceAll(" ", "-")).pipe(Argument.withDescription(Kind.called(kind)))

const flagsOf = (fields: ReadonlyArray<FieldFlag.Field>) =>
  Object.fromEntries(fields.map((field) => [field.name, FieldFlag.flagOf(field)]))

/** Values that name things, with the ids in place of the names that the API does not take. */
const resolved = Effect.fnUntraced(function*(values: ApiGroup.Given) {
  const found: Record<string, Schema.Json> = { ...values }
  const { emitter_id, listener_id } = values
  if (Predicate.isString(emitter_id)) found["emitter_id"] = yield* Naming.emitterOrGlob(emitter_id)
  if (Predicate.isString(listener_id)) found["listener_id"] = (yield* Naming.find(Kind.listeners, listener_id)).id
  return found
})

/** The thing that is named, and the request that addresses it. */
const addressed = Effect.fnUntraced(function*(
  { addressOf, kind, within }: Resource,
  text: string,
  owner: string | undefined
) {
  if (within !== undefined) {
    const id = yield* Naming.idOf(within, owner!)
    return { id: text, address: { params: { id, run_id: text } } satisfies Address as Address }
  }
  const id = yield* Naming.idOf(kind, text)
  if (addressOf === undefined) {
    // The one kind whose ids have another name there.
    const params: Readonly<Record<string, string>> = kind === Kind.component ? { key: id } : { id }
    return { id, address: { params } satisfies Address as Address }
  }
  const thing = (yield* ApiGroup.whole(kind.group)).find((one) => one.id === id)
  if (thing === undefined) {
    return yield* new CommandRefused({ message: `There is no ${kind.one} ${JSON.stringify(id)}` })
  }
  return { id, thing, address: addressOf(thing) }
})

const current = Effect.fnUntraced(function*(resource: Resource, text: string, owner?: string) {
  const { address, id, thing } = yield* addressed(resource, text, owner)
  if (thing !== undefined) return { id, address, thing }
  const shown = yield* ApiGroup.one(resource.kind.group, "get", { query: {}, ...address })
  return { id, address, thing: shown! }
})

const namesFor = ({ namedFields = [] }: Resource, things: ReadonlyArray<ApiGroup.Thing>) =>
  Naming.namesById(things.flatMap((thing) => namedFields.map((field) => String(thing[field]))))

const print = Effect.fnUntraced(function*(resource: Resource, thing: ApiGroup.Thing, json: boolean, next = "") {
  const names = json ? new Map() : yield* namesFor(resource, [thing])
  const text = ThingText.linesOf(resource.kind.one, thing, names)
  yield* Output.print(json, thing, next === "" ? text : `${text}\n\n${next}`)
})

const ownerOf = ({ within }: Resource): Argument.Argument<string> | undefined =>
  within === undefined ? undefined : argumentOf(within)

const listCommand = (resource: Resource) => {
  const { api, columns, first, kind, listed } = resource
  const fields = FieldFlag.ofQuery(api, "list")
  const owner = ownerOf(resource)
  const flags = {
    filters: flagsOf(fields),
    limit: CountFlag.make("limit", `At most so many. Default: ${listed === undefined ? "all" : listed}`).pipe(
      Flag.optional
    ),
    json: Output.json
  }
  const run = Effect.fnUntraced(function*(
    { filters, json, limit }: {
      readonly filters: Readonly<Record<string, Option.Option<string | boolean>>>
      readonly limit: Option.Option<number>
      readonly json: boolean
    },
    within?: string
  ) {
    const query = yield* FieldFlag.given(fields, filters)
    const params = within === undefined ? {} : { params: { id: yield* Naming.idOf(resource.within!, within) } }
    const most = Option.getOrElse(limit, () => listed ?? Number.POSITIVE_INFINITY)
    const things = kind === Kind.subscription
      ? (yield* ApiGroup.whole(kind.group)).slice(0, most)
      : yield* ApiGroup.list(kind.group, { ...params, query }, most).pipe(
        FlagWords.inFlags(FieldFlag.flagsByName(fields))
      )
    const names = json ? new Map() : yield* namesFor(resource, things)
    yield* Output.list(json, things, {
      heads: columns.map(({ head }) => head),
      rows: things.map((thing) => columns.map(({ of }) => of(thing, names))),
      none: Object.keys(query).length > 0
        ? `No ${kind.one} matches.`
        : `There is no ${kind.one} yet. Make the first with: ${first}`
    })
  })
  const command = owner === undefined
    ? Command.make("list", flags, (given) => run(given))
    : Command.make("list", { owner, ...flags }, ({ owner, ...given }) => run(given, owner))
  return command.pipe(
    Command.withDescription(
      `List ${resource.within === undefined ? "your" : `a ${resource.within.one}'s`} ${plural(kind)}, the newest first`
    ),
    Command.withAlias("ls")
  )
}

const plural = ({ one }: Kind.Kind): string => `${one.replace(/y$/, "ie")}s`

const getCommand = (resource: Resource) => {
  const { kind } = resource
  const thing = argumentOf(kind)
  const owner = ownerOf(resource)
  const run = Effect.fnUntraced(function*(text: string, json: boolean, within?: string) {
    const found = yield* current(resource, text, within)
    yield* print(resource, found.thing, json)
  })
  const command = owner === undefined
    ? Command.make("get", { thing, json: Output.json }, ({ json, thing }) => run(thing, json))
    : Command.make("get", { owner, thing, json: Output.json }, ({ json, owner, thing }) => run(thing, json, owner))
  return command.pipe(Command.withDescription(`Show a ${kind.one}`), Command.withAlias("show"))
}

const isLeftOut = ({ leftOut = [] }: Resource, { name }: FieldFlag.Field): boolean =>
  name === "active" || leftOut.includes(name)

/** Makes a thing of the fields that are given, and prints it. */
export const create = Effect.fnUntraced(function*(resource: Resource, payload: ApiGroup.Given, json: boolean) {
  const made = yield* ApiGroup.one(resource.kind.group, "create", {
    headers: {},
    query: {},
    payload: yield* resolved(payload)
  })
  yield* print(resource, made!, json, resource.next?.(made!))
})

export const createCommand = <const Name extends string>(command: Name, resource: Resource) => {
  const { api, creation = [], first, kind } = resource
  const fields = FieldFlag.ofPayload(api, "create").filter((field) => !isLeftOut(resource, field))
  const positional = creation.map((name) => fields.find((field) => field.name === name)!)
  const flags = fields.filter(({ name }) => !creation.includes(name))
  const given = Object.fromEntries(positional.map((field) => [
    field.name,
    Argument.String(field.flag).pipe(
      Argument.withDescription(field.name === "name" ? `The name of the ${kind.one}` : field.description)
    )
  ]))
  return Command.make(
    command,
    { given, flags: flagsOf(flags), json: Output.json },
    Effect.fnUntraced(function*({ flags: options, given, json }) {
      const named: Record<string, Schema.Json> = {}
      for (const field of positional) named[field.name] = yield* FieldFlag.decode(field, given[field.name]!)
      const payload = { ...named, ...(yield* FieldFlag.given(flags, options)) }
      yield* create(resource, payload, json).pipe(FlagWords.inFlags({
        ...FieldFlag.flagsByName(flags),
        ...Object.fromEntries(positional.map(({ flag, name }) => [name, `<${flag}>`]))
      }))
    })
  ).pipe(
    Command.withDescription(`Create a ${kind.one}`),
    Command.withExamples([{ command: first, description: `A first ${kind.one}` }])
  )
}

/** Changes a thing, which stays in or out of service unless that is changed. */
const change = Effect.fnUntraced(function*(resource: Resource, text: string, payload: ApiGroup.Given, json: boolean) {
  const { address, thing } = yield* current(resource, text)
  const active = Predicate.isBoolean(thing["active"]) ? { active: thing["active"] } : {}
  const changed = yield* ApiGroup.one(resource.kind.group, "update", {
    query: {},
    ...address,
    payload: { ...address.payload, ...active, ...payload }
  })
  yield* print(resource, changed!, json)
})

const updateCommand = (resource: Resource) => {
  const { api, kind } = resource
  const fields = FieldFlag.ofPayload(api, "update").filter((field) => !isLeftOut(resource, field))
  return Command.make(
    "update",
    { thing: argumentOf(kind), flags: flagsOf(fields), json: Output.json },
    Effect.fnUntraced(function*({ flags, json, thing }) {
      const payload = yield* FieldFlag.given(fields, flags)
      if (Object.keys(payload).length === 0) {
        return yield* new CommandRefused({
          message: `Nothing to change: give at least one of ${fields.map(({ flag }) => `--${flag}`).join(", ")}`
        })
      }
      yield* change(resource, thing, payload, json).pipe(FlagWords.inFlags(FieldFlag.flagsByName(fields)))
    })
  ).pipe(Command.withDescription(`Change a ${kind.one}; what is not given stays as it is`))
}

const renameCommand = (resource: Resource) =>
  Command.make(
    "rename",
    {
      thing: argumentOf(resource.kind),
      name: Argument.String("name").pipe(Argument.withDescription("Its new name")),
      json: Output.json
    },
    ({ json, name, thing }) => change(resource, thing, { name }, json).pipe(FlagWords.inFlags({ name: "<name>" }))
  ).pipe(Command.withDescription(`Give a ${resource.kind.one} another name`))

/** @param isActive what it is to be */
const switchCommand = (resource: Resource, name: "pause" | "resume", isActive: boolean) =>
  Command.make(
    name,
    { thing: argumentOf(resource.kind), json: Output.json },
    Effect.fnUntraced(function*({ json, thing: text }) {
      const { api, kind } = resource
      const { address } = yield* addressed(resource, text, undefined)
      const changed = FieldFlag.has(api, name)
        ? yield* ApiGroup.one(kind.group, name, { headers: {}, query: {}, payload: {}, ...address })
        : yield* ApiGroup.one(kind.group, "update", { ...address, payload: { active: isActive } })
      yield* print(resource, changed!, json)
    })
  ).pipe(
    Command.withDescription(
      isActive
        ? `Put a ${resource.kind.one} in service again`
        : `Take a ${resource.kind.one} out of service for a while`
    )
  )

const deleteCommand = (resource: Resource) =>
  Command.make(
    "delete",
    { thing: argumentOf(resource.kind), yes: Confirmation.flag, json: Output.json },
    Effect.fnUntraced(function*({ json, thing: text, yes }) {
      const { deletion, kind } = resource
      const { address, id } = yield* addressed(resource, text, undefined)
      const what = text === id ? id : `${text} (${id})`
      const more = deletion === undefined ? "" : ` ${deletion}`
      yield* Confirmation.ask(`Delete the ${kind.one} ${what}${more}?`, yes)
      yield* ApiGroup.one(kind.group, "delete", { query: {}, ...address })
      yield* Output.print(json, { id, deleted: true }, `Deleted ${what}${more}.`)
    })
  ).pipe(
    Command.withDescription(
      `Delete a ${resource.kind.one}${resource.deletion === undefined ? "" : ` ${resource.deletion}`}`
    ),
    Command.withAlias("rm")
  )

/** Commands of which the API has what they need. */
const commandsOf = (resource: Resource): ReadonlyArray<Command.Command.Any> => {
  const { api, creation, within } = resource
  const has = (endpoint: string) => FieldFlag.has(api, endpoint)
  const updated = new Set(FieldFlag.ofPayload(api, "update").map(({ name }) => name))
  const isSwitched = updated.has("active")
  return [
    listCommand(resource),
    getCommand(resource),
    ...(creation === undefined ? [] : [createCommand("create", resource)]),
    ...(has("update") ? [updateCommand(resource)] : []),
    ...(has("update") && updated.has("name") ? [renameCommand(resource)] : []),
    ...(isSwitched || has("pause") ? [switchCommand(resource, "pause", false)] : []),
    ...(isSwitched || (has("resume") && within === undefined) ? [switchCommand(resource, "resume", true)] : []),
    ...(has("delete") ? [deleteCommand(resource)] : [])
  ]
}

/**
 * The command about things of a kind.
 *
 * @param more further commands, or others in place of those that all kinds have
 */
export const make = <const Name extends string, const More extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  resource: Resource,
  more: More
) => {
  const all = commandsOf(resource)
  const own = new Set(all.map((command) => command.name))
  const inPlace = new Map(more.map((command) => [command.name, command] as const))
  const subcommands = [
    ...all.map((command) => inPlace.get(command.name) ?? command),
    ...more.filter((command) => !own.has(command.name))
  ]
  return Command.make(name).pipe(
    Command.withSubcommands(subcommands as unknown as More),
    Command.provide(ApiAccess.layer)
  )
}
