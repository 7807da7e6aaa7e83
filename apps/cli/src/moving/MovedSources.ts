/** Sources of an archive, which are made when they have their accounts, and begin when a workflow does that they begin. */
import { Effect, FileSystem, Predicate, type Schema } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as SetupApplication from "../setup/SetupApplication.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as SetupOfAccount from "../setup/SetupOfAccount.ts"
import * as SetupPlan from "../setup/SetupPlan.ts"
import * as ArchivedThings from "./ArchivedThings.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as SetupWriting from "./SetupWriting.ts"

type Json = Schema.Json

/** The standing of what begins a workflow. */
export interface Standing {
  readonly trigger: string
  /** Its place in the set-up. */
  readonly ref: string
  /** Its id here; undefined where it is yet to be made. */
  readonly id: string | undefined
  /** Ids of accounts there that it has to be given, by the prop. */
  readonly accounts: Readonly<Record<string, string>>
}

const refuse = (message: string) => new CommandRefused({ message })

/** The sources and workflows that begin a workflow, as far as it is not yet subscribed to them, or they are sources. */
export const of = (
  { emitters = {} }: MovingRecord.Workflow,
  { accounts: given = {}, sources = {} }: MovingRecord.MovingRecord,
  ids: ReadonlyMap<string, string>
): ReadonlyArray<Standing> =>
  Object.entries(emitters).flatMap(([trigger, ref]): ReadonlyArray<Standing> => {
    const source = Object.values(sources).find((each) => each.ref === ref)
    const id = ids.get(ref)
    // A workflow that is not deployed can be given by its name, as other sources.
    if (source === undefined && id === undefined) return []
    const accounts = Object.fromEntries(
      Object.entries(source?.accounts ?? {}).filter(([, account]) => id === undefined && given[account] === undefined)
    )
    return [{ trigger, ref, id, accounts }]
  })

/** The accounts that sources have yet to be given, each with the first of these. */
export const accountsOf = (
  sources: ReadonlyArray<Standing>
): ReadonlyArray<readonly [account: string, ref: string]> => {
  const first = new Map<string, string>()
  for (const { accounts, ref } of sources) {
    for (const account of Object.values(accounts)) if (!first.has(account)) first.set(account, ref)
  }
  return [...first]
}

/** The id of an account, which may be given as the value of a prop. */
export const accountIn = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    const id: unknown = Predicate.isObject(value) ? Reflect.get(value, "authProvisionId") : undefined
    return typeof id === "string" ? id : text
  } catch {
    return text
  }
}

/** The file of a source, where it is, or where it was set aside. */
const fileOf = Effect.fnUntraced(function*(folder: string, ref: string) {
  const files = yield* FileSystem.FileSystem
  const read = (path: string) => files.readFileString(Path.join(folder, path))
  const text = yield* read(`${ref}.json`).pipe(
    Effect.catchTag("PlatformError", () => read(`${ref}.json${SetupWriting.leftEnding}`)),
    Effect.mapError(({ message }) => refuse(message))
  )
  return yield* Effect.try({
    try: () => JSON.parse(text) as Record<string, Json> & { readonly configured_props?: Record<string, Json> },
    catch: () => refuse(`${ref}.json is not JSON`)
  })
})

const render = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

/** Makes one source as its file says. */
const makeOne = Effect.fnUntraced(function*(folder: string, ref: string) {
  const all = yield* SetupFolder.read(folder)
  const plan = yield* SetupPlan.make({
    account: yield* SetupOfAccount.read(),
    files: {
      ...all,
      things: all.things.filter((thing) => thing.ref === ref || thing.kind === "data_stores")
    },
    folder,
    prune: false,
    secrets: false,
    leavesOut: true
  })
  const left = plan.leftOut.find((each) => each.ref === ref)
  if (left !== undefined) return yield* refuse(left.faults.join("; "))
  const { applied, failed } = yield* SetupApplication.applyEach({
    ...plan,
    changes: plan.changes.filter(({ thing }) => thing.ref === ref)
  })
  if (failed.length > 0) return yield* refuse(failed.flatMap(({ faults }) => faults).join("; "))
  const id = applied[0]?.id ?? plan.matches.get(ref)?.id
  if (id === undefined) return yield* refuse(`${ref} could not be made`)
  yield* SetupFolder.writeIds(folder, new Map([...all.ids, [ref, id]]))
  return id
})

/** Makes the sources that have their accounts, and answers the id of each by its trigger. */
export const make = Effect.fnUntraced(function*(
  folder: string,
  standings: ReadonlyArray<Standing>,
  given: Readonly<Record<string, string>>
) {
  const made = new Map<string, string>()
  if (standings.length === 0) return made
  const before = yield* MovingRecord.need(folder)
  const record = { ...before, accounts: { ...before.accounts, ...given } }
  if (Object.keys(given).length > 0) yield* SetupWriting.write(folder, new Map(), record)
  for (const { accounts, id, ref, trigger } of standings) {
    if (id !== undefined) {
      made.set(trigger, id)
      continue
    }
    if (Object.values(accounts).some((account) => record.accounts[account] === undefined)) continue
    const source = Object.values(record.sources ?? {}).find((each) => each.ref === ref)
    const content = yield* fileOf(folder, ref)
    const own = ArchivedThings.withAccounts(source?.accounts ?? {}, record.accounts)
    const text = render({ ...content, configured_props: { ...content.configured_props, ...own } })
    yield* SetupWriting.write(folder, new Map([[`${ref}.json`, text]]), yield* MovingRecord.need(folder))
    made.set(trigger, yield* makeOne(folder, ref))
  }
  return made
})

/**
 * Switches on the sources of a workflow that is switched on. Those of one in shadow are in shadow, too: what else hears them
 * would send what is sent there.
 */
export const activate = Effect.fnUntraced(function*(
  folder: string,
  standings: ReadonlyArray<Standing>,
  isShadow: boolean
) {
  const { call } = yield* ApiAccess
  const { ids } = yield* SetupFolder.read(folder)
  for (const { ref } of standings) {
    const record = yield* MovingRecord.need(folder)
    const found = Object.entries(record.sources ?? {}).find(([, each]) => each.ref === ref)
    const id = ids.get(ref)
    if (found === undefined || id === undefined || found[1].active) continue
    yield* call(({ sources }) =>
      sources.update({ params: { id }, payload: { active: true, ...(isShadow ? { shadow: true } : {}) } })
    )
    const text = render({ ...yield* fileOf(folder, ref), active: true })
    yield* SetupWriting.write(folder, new Map([[`${ref}.json`, text]]), {
      ...record,
      sources: { ...record.sources, [found[0]]: { ...found[1], active: true } }
    })
  }
})
