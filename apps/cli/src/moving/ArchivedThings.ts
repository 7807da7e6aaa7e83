/** Sources, webhooks, subscriptions and data stores of an archive, as files of the set-up. */
import { Effect, type FileSystem, Option, type Schema } from "effect"
import type { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import type { CommandRefused } from "../CommandRefused.ts"
import { distinctly } from "../setup/SetupOfAccount.ts"
import * as ActionPlaces from "./ActionPlaces.ts"
import * as ArchivedBeginning from "./ArchivedBeginning.ts"
import * as ArchiveReading from "./ArchiveReading.ts"
import * as CodeEnding from "./CodeEnding.ts"
import { type Fields, isFields, textIn } from "./Fields.ts"
import * as MovedProps from "./MovedProps.ts"
import type * as MovingRecord from "./MovingRecord.ts"
import type { Finding } from "./MovingReport.ts"
import type * as SetupWriting from "./SetupWriting.ts"

type Json = Schema.Json

export interface ArchivedThings {
  readonly contents: SetupWriting.Contents
  /** By the id there. */
  readonly sources: Readonly<Record<string, MovingRecord.Source>>
  /** The place of what each trigger listens to, by the workflow's id and the trigger's. */
  readonly emitters: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly findings: ReadonlyArray<Finding>
}

const render = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

const slugOf = (name: string, otherwise: string) =>
  name.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || otherwise

/** The types of a component's props. */
const typesOf = (component: Fields): ReadonlyMap<string, string> => {
  const declared = component["configurable_props"] ?? component["configurableProps"]
  return new Map(
    (Array.isArray(declared) ? declared : []).flatMap((each: unknown) => {
      const [name, type] = isFields(each) ? [textIn(each, "name"), textIn(each, "type")] : []
      return name === undefined || type === undefined ? [] : [[name, type] as const]
    })
  )
}

/** Types whose values only the server has. */
const ofServer = new Set(["$.interface.http", "$.interface.apphook", "$.interface.email", "$.service.db", "alert"])

/** The schedule of a timer, as it is given, or as the API shows it. */
const scheduleOf = (value: Json): Json | undefined => {
  if (!isFields(value)) return undefined
  const { cron, intervalSeconds, interval_seconds: seconds = intervalSeconds, timezone } = value
  if (typeof cron === "string") return { cron, ...(typeof timezone === "string" ? { timezone } : {}) }
  return typeof seconds === "number" ? { intervalSeconds: seconds } : undefined
}

/** The values of a source's props, and the accounts and stores among them. */
const propsOf = (given: Fields, types: ReadonlyMap<string, string>) => {
  const values: Record<string, Json> = {}
  const accounts: Record<string, string> = {}
  const stores: Array<string> = []
  for (const [name, value] of Object.entries(given)) {
    const type = types.get(name)
    if (value === null || ofServer.has(type ?? "")) continue
    const account = isFields(value) ? textIn(value, "authProvisionId") : undefined
    if (account !== undefined) {
      accounts[name] = account
      continue
    }
    const store = isFields(value)
      ? textIn(value, "storeId")
      : type === "data_store" && typeof value === "string"
      ? value
      : undefined
    if (store !== undefined) stores.push(store)
    const own = store !== undefined
      ? { storeId: MovedProps.storeRef(store) }
      : type === "$.interface.timer"
      ? scheduleOf(value)
      : value
    if (own !== undefined) values[name] = own
  }
  return { values, accounts, stores }
}

/** The code of a source: the archive's own, or that of a clone of the registry. */
const codeOf = Effect.fnUntraced(function*(component: Fields, clone: string | undefined) {
  const code = textIn(component, "code")
  if (code !== undefined && ActionPlaces.isWhole(code)) return Option.some(code)
  const key = textIn(component, "key")
  const found = clone === undefined || key === undefined
    ? Option.none()
    : yield* ActionPlaces.inClone(clone, key, "sources")
  if (Option.isNone(found)) return Option.none<string>()
  const bundler = yield* ComponentFiles
  return yield* Effect.option(Effect.map(bundler.bundle(found.value.file, new Set()), ({ code }) => code))
})

/** A value with the account that stands for the one there. */
export const withAccounts = (
  accounts: Readonly<Record<string, string>>,
  mapped: Readonly<Record<string, string>>
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(accounts).flatMap(([prop, id]) => {
      const here = Object.hasOwn(mapped, id) ? mapped[id] : undefined
      return here === undefined ? [] : [[prop, { authProvisionId: here }]]
    })
  )

/** The things that are brought beside the workflows that are placed. */
export interface Given {
  readonly archive: ArchiveReading.Archive
  readonly clone: string | undefined
  readonly record: MovingRecord.MovingRecord
  /** The places of workflows, by their ids there. */
  readonly workflows: ReadonlyMap<string, string>
  /** The triggers of those that are brought now, by the ids of these. */
  readonly triggers: ReadonlyMap<string, ReadonlyArray<string>>
  /** True if only what these workflows need is brought. */
  readonly isPart: boolean
}

const readSources = Effect.fnUntraced(function*(
  { archive, clone, isPart, record, triggers }: Given,
  contents: Map<string, string>,
  findings: Array<Finding>
) {
  const before = record.sources ?? {}
  const refOf = distinctly("sources")
  for (const { ref } of Object.values(before)) refOf(ref.replace(/^sources\//, ""))
  const needed = new Set([...triggers.values()].flat().map((trigger) => ArchiveReading.emitterOf(trigger, archive)))
  const sources: Record<string, MovingRecord.Source> = {}
  for (const [id, file] of archive.sources) {
    if (isPart && !needed.has(id)) continue
    const tell = (kind: Finding["kind"], message: string) =>
      findings.push({ kind, file: file.path, line: file.lineOf(["source"]), message: `${id}: ${message}` })
    const source = isFields(file.fields["source"]) ? file.fields["source"] : file.fields
    const inside = file.fields["component"]
    const component = isFields(inside)
      ? inside
      : archive.components.find(({ fields }) => fields["id"] === source["component_id"])?.fields ?? {}
    const code = yield* codeOf(component, clone)
    if (Option.isNone(code)) {
      tell(
        "failed",
        textIn(component, "code") === undefined
          ? "the archive does not have its code, and no clone of the registry that --registry names has it"
          : "its code imports files that the archive does not have: import again with --registry <git clone of the registry>"
      )
      continue
    }
    const name = textIn(source, "name") ?? textIn(component, "name") ?? id
    const ref = before[id]?.ref ?? refOf(slugOf(textIn(source, "name_slug") ?? name, id.toLowerCase()))
    const { accounts, stores, values } = propsOf(
      isFields(source["configured_props"]) ? source["configured_props"] : {},
      typesOf(component)
    )
    const active = before[id]?.active ?? false
    const beginning = yield* ArchivedBeginning.of(code.value, file.fields["events"], archive.fetchedAt)
    const path = `${ref}.${CodeEnding.of("", code.value).replace("js", "mjs")}`
    contents.set(path, code.value)
    contents.set(
      `${ref}.json`,
      render({
        name,
        code: path,
        active,
        configured_props: { ...values, ...withAccounts(accounts, record.accounts ?? {}) },
        ...(beginning === undefined ? {} : { initial_state: beginning })
      })
    )
    for (const store of stores) contents.set(`${MovedProps.storeRef(store)}.json`, render({ name: store }))
    sources[id] = { ref, accounts, active }
    for (const account of new Set(Object.values(accounts).filter((id) => record.accounts?.[id] === undefined))) {
      tell("missing", `${name} has the account ${account} there: give one here with \`headwater import finish\``)
    }
    if (beginning !== undefined) tell("different", `${name} goes on here: ${ArchivedBeginning.told(beginning)}`)
    if (source["active"] === false) {
      tell("different", `${name} was switched off there: a workflow that it begins switches it on`)
    }
  }
  return sources
})

const readWebhooks = (
  { archive, isPart }: Given,
  contents: Map<string, string>,
  findings: Array<Finding>
): ReadonlyMap<string, string> => {
  const refOf = distinctly("webhooks")
  const refs = new Map<string, string>()
  if (isPart) return refs
  for (const { fields, line } of archive.webhooks) {
    const [id, url] = [textIn(fields, "id"), textIn(fields, "url")]
    if (id === undefined || url === undefined || refs.has(id)) continue
    const name = textIn(fields, "name")
    const description = textIn(fields, "description")
    const ref = refOf(slugOf(name ?? "", id.toLowerCase()))
    refs.set(id, ref)
    contents.set(
      `${ref}.json`,
      render({
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        url,
        active: fields["active"] !== false
      })
    )
    findings.push({
      kind: "different",
      file: "webhooks.json",
      line,
      message: `${id}: signs with a secret of its own here: give its receiver the one of GET /v1/webhooks/{id}/secret`
    })
  }
  return refs
}

/** Reads all that an archive has beside workflows. */
export const of = (
  given: Given
): Effect.Effect<ArchivedThings, CommandRefused, ApiAccess | FileSystem.FileSystem | ComponentFiles> =>
  Effect.gen(function*() {
    const { archive, isPart, triggers, workflows } = given
    const contents = new Map<string, string>()
    const findings: Array<Finding> = []
    const sources = yield* readSources(given, contents, findings)
    const webhooks = readWebhooks(given, contents, findings)
    const places = new Map([
      ...workflows,
      ...webhooks,
      ...Object.entries(given.record.sources ?? {}).map(([id, { ref }]) => [id, ref] as const),
      ...Object.entries(sources).map(([id, { ref }]) => [id, ref] as const)
    ])
    const emitters = new Map(
      [...triggers].map(([id, ids]) => [
        id,
        Object.fromEntries(ids.flatMap((trigger) => {
          const place = places.get(ArchiveReading.emitterOf(trigger, archive) ?? "")
          return place === undefined ? [] : [[trigger, place]]
        }))
      ])
    )
    const refOf = distinctly("subscriptions")
    for (const { fields, line } of isPart ? [] : archive.subscriptions) {
      const [emitter = "", listener = ""] = [textIn(fields, "emitter_id"), textIn(fields, "listener_id")]
      const [from, to] = [places.get(emitter), places.get(listener)]
      if (from === undefined || to === undefined) {
        findings.push({
          kind: "missing",
          file: "subscriptions.json",
          line,
          message: `the subscription of ${listener} to ${emitter} is left out: ${
            from === undefined ? emitter : listener
          } is not in the archive`
        })
        continue
      }
      // The workflow is subscribed when it is finished.
      if (Object.values(emitters.get(listener) ?? {}).includes(from)) continue
      const stream = textIn(fields, "event_name")
      const base = (place: string) => place.replace(/^[a-z]+\//, "")
      contents.set(
        `${refOf(`${base(from)}--${base(to)}`)}.json`,
        render({ emitter: from, listener: to, ...(stream === undefined ? {} : { stream }) })
      )
    }
    for (const store of isPart ? [] : archive.stores.keys()) {
      contents.set(`${MovedProps.storeRef(store)}.json`, render({ name: store }))
    }
    return { contents, sources, emitters, findings }
  })
