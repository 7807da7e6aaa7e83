/** Imports a project: reads it, writes a set-up folder, and makes the account be as that says. */
import { Effect, FileSystem, Option, Predicate, type Schema } from "effect"
import * as Path from "node:path"
import * as SetupApplication from "../setup/SetupApplication.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as SetupOfAccount from "../setup/SetupOfAccount.ts"
import * as SetupPlan from "../setup/SetupPlan.ts"
import * as ArchivedAccounts from "./ArchivedAccounts.ts"
import type * as ArchiveReading from "./ArchiveReading.ts"
import type * as MovedWorkflow from "./MovedWorkflow.ts"
import * as MovingRecord from "./MovingRecord.ts"
import type * as MovingReport from "./MovingReport.ts"
import { fileOf, placeOf } from "./ProjectFolder.ts"
import * as ProjectImport from "./ProjectImport.ts"
import * as SetupWriting from "./SetupWriting.ts"

export interface Given {
  readonly folder: string
  readonly format: ProjectImport.Format
  /** An archive that has what the folder has not. */
  readonly archive: Option.Option<string>
  readonly into: string
  readonly only: Option.Option<string>
  readonly registry: Option.Option<string>
  /** True if nothing is kept of the set-up, which then is nowhere but in a folder of its own. */
  readonly dryRun: boolean
}

export interface Prepared {
  readonly plan: SetupPlan.Plan
  readonly report: MovingReport.Report
  readonly written: SetupWriting.Written
  readonly archive: ArchiveReading.Archive | undefined
  /** Accounts that are needed, and that can be made of the archive. */
  readonly waiting: ReadonlyArray<ArchivedAccounts.Account>
}

/** A fault of a thing, without the name of its file. */
const ownFault = (ref: string, fault: string) => fault.replace(`${ref}.json: `, "")

const noSuchProp = "the component has no such prop"

/** The value that a fault is about, with what is wrong with it. */
const valueIn = (
  { ref, workflow: { props } }: ProjectImport.Placed,
  fault: string
): ReadonlyArray<readonly [prop: string, why: string]> => {
  const own = ownFault(ref, fault)
  const name = Object.keys(props).find((name) => own.startsWith(`configured_props.${name}: `))
  return name === undefined ? [] : [[name, own.slice(`configured_props.${name}: `.length)]]
}

/** True if a plan would have a workflow run other code that no import has made. */
const isForeign = (files: SetupFolder.Folder) => ({ action, fields, thing }: SetupPlan.Change) =>
  thing.kind === "workflows" && action === "change" && !files.ids.has(thing.ref) &&
  fields.some(({ field }) => field === "code")

/** True if a plan would give a data store or project its name there again, which somebody has renamed. */
const isRenamed = ({ ids }: SetupFolder.Folder) => ({ action, thing }: SetupPlan.Change) =>
  (thing.kind === "data_stores" || thing.kind === "projects") && action === "change" && ids.has(thing.ref)

const isPlanned = (plan: SetupPlan.Plan, ref: string) => !plan.leftOut.some((left) => left.ref === ref)

/** The server's objection to a workflow, at its place in the project if it is in a file of that. */
const refusal = (
  target: string,
  ref: string,
  workflow: MovedWorkflow.MovedWorkflow,
  fault: string
): MovingReport.Finding => {
  const root = `${Path.relative("", target) || "."}/`
  const own = ownFault(ref, fault).replaceAll(Path.resolve(target) + Path.sep, "").replaceAll(root, "")
  const found = workflow.files.find(({ path }) => own.includes(`${ref}/${path}:`))
  const [, line, rest] = found === undefined
    ? []
    : /^:(\d+):\d+: ([^]*)$/.exec(
      own.slice(own.indexOf(`${ref}/${found.path}:`) + ref.length + 1 + found.path.length)
    ) ?? []
  return {
    kind: "failed",
    file: found === undefined || line === undefined ? fileOf(workflow) : placeOf(workflow, found.path),
    line: Number(line ?? 1),
    message: `the server does not take it: ${rest ?? own}`
  }
}

/** Writes the files of a project. */
const write = Effect.fnUntraced(function*(
  target: string,
  chosen: ProjectImport.Chosen,
  record: MovingRecord.MovingRecord,
  withheld: ReadonlyMap<string, Readonly<Record<string, Schema.Json>>>
) {
  const records = Object.fromEntries(chosen.placed.map((placed) => [
    placed.workflow.id,
    ProjectImport.recordOf(
      placed,
      record.workflows[placed.workflow.id],
      withheld.get(placed.ref) ?? {},
      chosen.things.emitters.get(placed.workflow.id)
    )
  ]))
  return yield* SetupWriting.write(
    target,
    ProjectImport.contentsOf(chosen, records, record.accounts),
    {
      ...record,
      workflows: { ...record.workflows, ...records },
      sources: { ...record.sources, ...chosen.things.sources }
    },
    ProjectImport.isStale(chosen)
  )
})

/** Writes a project into a folder, and plans what the account needs of it. */
const prepareIn = Effect.fnUntraced(function*(
  target: string,
  into: string,
  chosen: ProjectImport.Chosen,
  before: MovingRecord.MovingRecord
) {
  const account = yield* SetupOfAccount.read()
  const withheld = new Map<string, Record<string, Schema.Json>>()
  const told = new Map<string, Array<MovingReport.Finding>>()
  /** Tells of a value that is kept out of the files. */
  const keepBack = ({ ref, workflow }: ProjectImport.Placed, name: string, isLeft: boolean, why: string) => {
    const value = workflow.props[name]
    if (value === undefined) return
    if (!isLeft) withheld.set(ref, { ...withheld.get(ref), [name]: value })
    delete workflow.props[name]
    const finding: MovingReport.Finding = {
      kind: isLeft ? "different" : "missing",
      file: fileOf(workflow),
      line: workflow.steps.find((step) => name.startsWith(`${step.name}.`))?.line ?? 1,
      message: isLeft
        ? `${name}: the value is left out: the code has no such prop`
        : `${name}: the value waits for \`headwater import finish\`: ${why}`
    }
    told.set(ref, [...told.get(ref) ?? [], finding])
  }
  for (const placed of chosen.placed) {
    for (const name of Object.keys(ProjectImport.waitingOf(placed, before))) {
      keepBack(placed, name, false, "it was not taken before")
    }
  }

  const refs = new Set([
    ...chosen.placed.flatMap(({ project, ref }) => project === undefined ? [ref] : [project.ref, ref]),
    ...[...chosen.things.contents.keys()].map((path) => path.replace(/\.json$/, "")),
    ...chosen.placed.flatMap(({ workflow }) =>
      Object.values(workflow.props).flatMap((value) => {
        const store: unknown = Predicate.isObject(value) ? Reflect.get(value, "storeId") : undefined
        return typeof store === "string" ? [store] : []
      })
    )
  ])
  const planOf = Effect.fnUntraced(function*(isOwn: (ref: string) => boolean) {
    const all = yield* SetupFolder.read(target)
    const files = { ...all, things: all.things.filter(({ ref }) => isOwn(ref)) }
    const plan = yield* SetupPlan.make({
      account,
      files,
      folder: target,
      prune: false,
      secrets: false,
      leavesOut: true,
      ...(target === into ? {} : { copyOf: into })
    })
    const foreign = plan.changes.filter(isForeign(files))
    return {
      ...plan,
      changes: plan.changes.filter((change) => !foreign.includes(change) && !isRenamed(files)(change)),
      leftOut: [
        ...plan.leftOut,
        ...foreign.map(({ present, thing }) => ({
          ref: thing.ref,
          faults: [
            `${thing.ref}.json: name: the account has a workflow of this name (${
              present?.id ?? ""
            }) that no import has made: ` +
            "give that one another name"
          ]
        }))
      ]
    } satisfies SetupPlan.Plan as SetupPlan.Plan
  })

  let written = yield* write(target, chosen, before, withheld)
  let plan = yield* planOf((ref) => refs.has(ref))
  // Values that the code does not take, such as those of props that an action adds once it has its account, wait for somebody.
  const again = new Set<string>()
  for (const { faults, ref } of plan.leftOut) {
    const placed = chosen.placed.find((each) => each.ref === ref)
    if (placed === undefined) continue
    const named = faults.flatMap((fault) => valueIn(placed, fault))
    if (named.length < faults.length) continue
    for (const [name, why] of named) {
      const step = placed.workflow.steps.find((step) => name.startsWith(`${step.name}.`))
      // Code that stays as it is will never have the prop; an action may add it when it has its account.
      keepBack(placed, name, why === noSuchProp && step?.code._tag === "File", why)
    }
    again.add(ref)
  }
  if (again.size > 0) {
    const first = written
    written = yield* write(target, chosen, written.record, withheld)
    written = {
      ...written,
      kept: [...new Set([...first.kept, ...written.kept])],
      beside: [...new Set([...first.beside, ...written.beside])],
      removed: first.removed
    }
    const second = yield* planOf((ref) => again.has(ref) || /^(data_stores|projects)\//.test(ref) && refs.has(ref))
    plan = {
      ...plan,
      changes: [...plan.changes, ...second.changes.filter(({ thing }) => again.has(thing.ref))],
      matches: new Map([...plan.matches, ...second.matches]),
      leftOut: [...plan.leftOut.filter(({ ref }) => !again.has(ref)), ...second.leftOut]
    }
  }

  const isUsed = (project: string) =>
    chosen.placed.some((placed) => placed.project?.ref === project && isPlanned(plan, placed.ref))
  plan = { ...plan, changes: plan.changes.filter(({ thing }) => thing.kind !== "projects" || isUsed(thing.ref)) }

  for (const { ref } of plan.leftOut) {
    const path = `${ref}.json`
    if (written.record.files[path] === undefined) continue
    const { isAside, record } = yield* SetupWriting.setAside(target, written.record, path)
    const isTold = written.kept.includes(path) || written.beside.includes(path)
    written = { ...written, record, kept: isAside || isTold ? written.kept : [...written.kept, path] }
  }

  const workflows = chosen.placed.map(({ findings, ref, workflow }): MovingReport.Moved => ({
    id: workflow.id,
    name: workflow.name,
    from: workflow.folder,
    ref,
    deployed: isPlanned(plan, ref),
    came: {
      triggers: workflow.triggers.length,
      steps: workflow.steps.length,
      props: Object.keys(workflow.props).length,
      files: workflow.files.length
    },
    findings: [
      ...findings,
      ...told.get(ref) ?? [],
      ...(plan.leftOut.find((left) => left.ref === ref)?.faults ?? []).map((fault) =>
        refusal(target, ref, workflow, fault)
      )
    ]
  }))
  const unread = chosen.unread.map(({ findings, folder, id }): MovingReport.Moved => ({
    id,
    name: Path.posix.basename(folder),
    from: folder,
    ref: null,
    deployed: false,
    came: { triggers: 0, steps: 0, props: 0, files: 0 },
    findings
  }))
  const beside = plan.leftOut.filter(({ ref }) => !chosen.placed.some((each) => each.ref === ref))
    .flatMap(({ faults, ref }) => {
      // It is made when it is given what it needs yet, of which the report has told.
      const source = Object.values(chosen.things.sources).find((each) => each.ref === ref)
      const waits = Object.values(source?.accounts ?? {}).some((id) => before.accounts?.[id] === undefined) ||
        ref.startsWith("subscriptions/")
      return faults.map((fault): MovingReport.Finding => ({
        kind: waits ? "missing" : "failed",
        file: `${ref}.json`,
        line: 1,
        message: waits ? `waits: ${ownFault(ref, fault)}` : `the server does not take it: ${ownFault(ref, fault)}`
      }))
    })
  const needed = [
    ...chosen.placed.flatMap(({ workflow }) => Object.values(workflow.accounts)),
    ...Object.values(chosen.things.sources).flatMap(({ accounts }) => Object.values(accounts))
  ]
  return {
    plan,
    written,
    archive: chosen.archive,
    waiting: chosen.archive === undefined ? [] : ArchivedAccounts.waiting(chosen.archive, needed, before),
    report: { workflows: [...workflows, ...unread], findings: [...chosen.findings, ...beside] }
  } satisfies Prepared as Prepared
})

/** Writes the set-up of a project, and plans what the account needs of it. Nothing of the account changes. */
export const prepare = Effect.fnUntraced(function*({ archive, dryRun, folder, format, into, only, registry }: Given) {
  const files = yield* FileSystem.FileSystem
  const record = yield* MovingRecord.read(into)
  const isThere = yield* ProjectImport.mayWrite(into, record)
  const before = Option.getOrElse(record, () => MovingRecord.empty)
  const chosen = yield* ProjectImport.choose(folder, format, archive, only, registry, before)
  if (isThere && !dryRun) return yield* prepareIn(into, into, chosen, before)
  return yield* SetupWriting.withFolderBeside(
    into,
    Effect.fnUntraced(function*(made) {
      if (isThere) yield* files.copy(into, made, { overwrite: true })
      if (dryRun) return yield* prepareIn(made, into, chosen, before)
      const { record } = yield* write(made, chosen, before, new Map())
      yield* files.rename(made, into)
      return yield* prepareIn(into, into, chosen, record)
    })
  )
})

/** Makes the account be as planned, as far as that goes, and keeps the ids of what it has made. */
export const apply = Effect.fnUntraced(function*(plan: SetupPlan.Plan, into: string) {
  const { applied, failed } = yield* SetupApplication.applyEach(plan)
  const before = yield* SetupFolder.read(into)
  const ids = new Map([
    ...before.ids,
    ...[...plan.matches].map(([ref, { id }]) => [ref, id] as const),
    ...applied.map(({ id, thing }) => [thing, id] as const)
  ])
  yield* SetupFolder.writeIds(into, ids)
  return { applied, failed }
})
