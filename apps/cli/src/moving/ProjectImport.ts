import * as Project from "@headwater/domain/Project"
import { Effect, FileSystem, Option, type Schema } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as Setup from "../setup/Setup.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import { distinctly } from "../setup/SetupOfAccount.ts"
import * as ActionPlaces from "./ActionPlaces.ts"
import * as ArchivedThings from "./ArchivedThings.ts"
import * as ArchiveReading from "./ArchiveReading.ts"
import * as BegunTest from "./BegunTest.ts"
import * as BuiltInSteps from "./BuiltInSteps.ts"
import * as MovedModule from "./MovedModule.ts"
import * as MovedProps from "./MovedProps.ts"
import { isLeft } from "./MovedSteps.ts"
import * as MovedWorkflow from "./MovedWorkflow.ts"
import type * as MovingRecord from "./MovingRecord.ts"
import type { Finding } from "./MovingReport.ts"
import * as N8nProject from "./N8nProject.ts"
import * as ProjectFolder from "./ProjectFolder.ts"
import type * as SetupWriting from "./SetupWriting.ts"
import type { ActionName } from "./StepCode.ts"

/** A workflow with its place in the set-up. */
export interface Placed {
  readonly workflow: MovedWorkflow.MovedWorkflow
  readonly ref: string
  /** The place of its project in the set-up; one that is new has its name, too. */
  readonly project: { readonly ref: string; readonly name?: string } | undefined
  readonly findings: ReadonlyArray<Finding>
}

export interface Chosen {
  readonly archive: ArchiveReading.Archive | undefined
  readonly placed: ReadonlyArray<Placed>
  readonly unread: ReadonlyArray<ProjectFolder.Unread>
  readonly findings: ReadonlyArray<Finding>
  readonly places: ReadonlyMap<string, ActionPlaces.ActionPlace>
  readonly things: ArchivedThings.ArchivedThings
}

const render = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

const isNamed = (only: string) => ({ folder, id, slug }: { folder: string; id: string; slug?: string }) =>
  [folder, id, slug].includes(only) || Path.posix.basename(folder) === only

const noThings: ArchivedThings.ArchivedThings = { contents: new Map(), sources: {}, emitters: new Map(), findings: [] }

/** The archive that a folder is, or has as its only entry, as zips do. */
const archiveIn = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  if (yield* ArchiveReading.isArchive(folder)) return folder
  const [only, ...others] = yield* Effect.orElseSucceed(files.readDirectory(folder), () => [])
  if (only === undefined || others.length > 0) return undefined
  const inner = Path.join(folder, only)
  return (yield* ArchiveReading.isArchive(inner)) ? inner : undefined
})

/** The format of what is imported. */
export type Format = "pipedream" | "n8n"

/** Reads workflows of n8n; else a folder of git, an archive, or one completed by the other. */
const readProject = Effect.fnUntraced(function*(folder: string, format: Format, beside: Option.Option<string>) {
  if (format === "n8n") return { archive: undefined, ...yield* N8nProject.read(folder) }
  const own = yield* archiveIn(folder)
  if (own !== undefined && Option.isSome(beside)) {
    return yield* new CommandRefused({ message: `${folder} is an archive by itself: give it alone` })
  }
  const root = Option.isSome(beside) ? yield* archiveIn(beside.value) : own
  if (Option.isSome(beside) && root === undefined) {
    return yield* new CommandRefused({
      message: `${beside.value} has neither archive.json nor manifest.json: it is no archive`
    })
  }
  const archive = root === undefined ? undefined : yield* ArchiveReading.read(root)
  const project = own === undefined ? yield* ProjectFolder.read(folder) : undefined
  const ofFolder = new Set([...project?.workflows ?? [], ...project?.unread ?? []].map(({ id }) => id))
  return {
    archive,
    workflows: archive === undefined
      ? project?.workflows ?? []
      : ArchiveReading.completed(project?.workflows ?? [], archive),
    unread: [...project?.unread ?? [], ...archive?.unread.filter(({ id }) => !ofFolder.has(id)) ?? []],
    findings: [...project?.findings ?? [], ...archive?.findings ?? []]
  }
})

/** Reads a project, and finds the actions of its workflows. */
export const choose = Effect.fnUntraced(function*(
  folder: string,
  format: Format,
  archiveFolder: Option.Option<string>,
  only: Option.Option<string>,
  registry: Option.Option<string>,
  record: MovingRecord.MovingRecord
) {
  const project = yield* readProject(folder, format, archiveFolder)
  const isChosen = Option.match(only, { onNone: () => () => true, onSome: isNamed })
  const workflows = project.workflows.filter(isChosen).map(MovedWorkflow.of)
  const unread = project.unread.filter(isChosen)
  if (workflows.length === 0 && unread.length === 0) {
    return yield* new CommandRefused({
      message: Option.match(only, {
        onNone: () => `${folder} has no workflows`,
        onSome: (name) => `${folder} has no workflow ${name}: give its slug, its id (p_…) or its folder`
      })
    })
  }
  const actions = new Map(
    workflows.flatMap(({ steps }) =>
      steps.flatMap(({ code }) =>
        code._tag === "Action" ? [[ActionPlaces.nameOf(code.action), code.action] as const] : []
      )
    )
  )
  const archived = project.archive === undefined ? [] : ArchiveReading.actionsOf(project.archive)
  const places = new Map(
    yield* Effect.forEach(actions, ([name, action]) =>
      Effect.map(
        ActionPlaces.find(action, Option.getOrUndefined(registry), archived),
        (place) => [name, place] as const
      ), { concurrency: 4 })
  )
  const refOf = distinctly("workflows")
  for (const { ref } of Object.values(record.workflows)) refOf(ref.replace(/^workflows\//, ""))
  const projectName = Path.basename(Path.resolve(folder)).slice(0, Project.longestName)
  const ofFolder = format === "n8n" ? undefined : {
    ref: `projects/${projectName.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || "project"}`,
    name: projectName
  }
  const projectOf = ({ id }: MovedWorkflow.MovedWorkflow) => {
    const ref = record.workflows[id]?.project
    return ref === undefined ? ofFolder : { ref }
  }
  const placed = workflows.map((workflow): Placed => ({
    workflow,
    project: projectOf(workflow),
    ref: record.workflows[workflow.id]?.ref ??
      refOf(workflow.slug.toLowerCase().replace(/[^a-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || "workflow"),
    findings: [
      ...workflow.findings.filter((finding) => record.accounts?.[MovedProps.accountIn(finding) ?? ""] === undefined),
      ...workflow.steps.flatMap(({ code, line, name }) => {
        const finding = code._tag === "Action" ? places.get(ActionPlaces.nameOf(code.action))?.finding : undefined
        const file = ProjectFolder.fileOf(workflow)
        return finding === undefined ? [] : [{ ...finding, file, line, message: `${name}: ${finding.message}` }]
      })
    ]
  }))
  const { archive } = project
  const things = archive === undefined ? noThings : yield* ArchivedThings.of({
    archive,
    clone: Option.getOrUndefined(registry),
    record,
    workflows: new Map([
      ...Object.entries(record.workflows).map(([id, { ref }]) => [id, ref] as const),
      ...placed.map(({ ref, workflow }) => [workflow.id, ref] as const)
    ]),
    triggers: new Map(placed.map(({ workflow: { id, triggers } }) => [
      id,
      triggers.flatMap(({ id, prop }) => prop === undefined ? [id] : [])
    ])),
    isPart: Option.isSome(only)
  })
  return {
    archive,
    placed,
    unread,
    findings: [...project.findings, ...things.findings],
    places,
    things
  } satisfies Chosen as Chosen
})

/** The values of a workflow's props: those of the project that the code takes, and those that were given here. */
export const propsOf = (
  { accounts, props }: MovedWorkflow.MovedWorkflow,
  { given, withheld }: Pick<MovingRecord.Workflow, "given" | "withheld">,
  mapped: Readonly<Record<string, string>>
) =>
  Object.fromEntries([
    ...Object.entries(ArchivedThings.withAccounts(accounts, mapped))
      .filter(([name]) => !Object.hasOwn(given.props, name)),
    ...Object.entries(props).filter(([name]) => !Object.hasOwn(withheld, name) && !Object.hasOwn(given.props, name)),
    // A value that the server alone has, or that was taken back, is in no file.
    ...Object.entries(given.props).filter(([, value]) => value !== null)
  ])

/** Values that an import before has kept back, as the project has them now. */
export const waitingOf = (
  { workflow: { id, props } }: Placed,
  { workflows }: MovingRecord.MovingRecord
): Record<string, Schema.Json> => {
  const before = workflows[id]?.withheld ?? {}
  return Object.fromEntries(Object.entries(props).filter(([name]) => Object.hasOwn(before, name)))
}

/** The record of a workflow, with what somebody has given to it before. */
export const recordOf = (
  { project, ref, workflow }: Placed,
  before: MovingRecord.Workflow | undefined,
  withheld: Readonly<Record<string, Schema.Json>>,
  emitters: Readonly<Record<string, string>> = {}
): MovingRecord.Workflow => ({
  ref,
  name: workflow.name,
  ...(project === undefined ? {} : { project: project.ref }),
  from: workflow.folder,
  wasInactive: workflow.wasInactive,
  accounts: workflow.accounts,
  stores: workflow.stores,
  variables: workflow.variables,
  left: workflow.steps.flatMap((step) => isLeft(step) ? [step.name] : []),
  subscriptions: workflow.triggers.flatMap(({ id, prop }) => prop === undefined ? [id] : []),
  emitters: { ...before?.emitters, ...emitters },
  endpoints: Object.fromEntries(
    Object.entries(workflow.endpoints).map(([id, url]) => [id, before?.endpoints?.[id] ?? url])
  ),
  withheld: Object.fromEntries(
    Object.entries({ ...workflow.refused, ...withheld }).filter(([name]) =>
      !Object.hasOwn(before?.given.props ?? {}, name)
    )
  ),
  given: before?.given ?? { props: {}, subscriptions: [], active: false }
})

/** The file of a workflow in the set-up. */
const settingsOf = (
  { project, ref, workflow }: Placed,
  record: MovingRecord.Workflow,
  accounts: Readonly<Record<string, string>>
) =>
  render({
    name: workflow.name,
    ...(project === undefined ? {} : { project: project.ref }),
    code: MovedModule.fileOf(ref, workflow),
    active: record.given.active,
    ...(workflow.timeoutSeconds === undefined ? {} : { timeout_seconds: workflow.timeoutSeconds }),
    configured_props: propsOf(workflow, record, accounts)
  })

/** All files of the set-up that these workflows need. */
export const contentsOf = (
  { places, placed, things }: Chosen,
  records: Readonly<Record<string, MovingRecord.Workflow>>,
  accounts: Readonly<Record<string, string>> = {}
): SetupWriting.Contents => {
  const kinds = new Set([
    "data_stores",
    "workflows",
    ...placed.flatMap(({ project }) => project === undefined ? [] : ["projects"]),
    ...[...things.contents.keys()].map((path) => path.split("/")[0])
  ])
  const contents = new Map<string, Uint8Array | string>([
    [SetupFolder.marker, render({ format: 1, kinds: Setup.kinds.filter((kind) => kinds.has(kind)) })],
    ...things.contents
  ])
  for (const each of placed) {
    const { project, ref, workflow } = each
    if (project?.name !== undefined) contents.set(`${project.ref}.json`, render({ name: project.name }))
    contents.set(`${ref}.json`, settingsOf(each, records[workflow.id]!, accounts))
    const module = MovedModule.fileOf(ref, workflow)
    const placeOf = (action: ActionName) => places.get(ActionPlaces.nameOf(action))!
    const record = records[workflow.id]!
    contents.set(`${ref}/${BegunTest.eventFile}`, render(BegunTest.eventOf(workflow)))
    contents.set(
      module.replace(/\.mjs$/, ".test.mjs"),
      BegunTest.textOf({
        workflow,
        module: Path.posix.basename(module),
        // Values that were given here may be secrets.
        props: propsOf({ ...workflow, accounts: {} }, { ...record, given: { ...record.given, props: {} } }, {}),
        withheld: Object.keys(record.withheld),
        placeOf
      })
    )
    for (const { bytes, path } of workflow.files) contents.set(`${ref}/${path}`, bytes)
    contents.set(module, MovedModule.textOf(workflow, ref, (action) => placeOf(action).place))
    for (const { code } of workflow.steps) {
      if (code._tag === "BuiltIn") contents.set(BuiltInSteps.fileOf(code.name), BuiltInSteps.files[code.name])
      const place = code._tag === "Action" ? places.get(ActionPlaces.nameOf(code.action)) : undefined
      if (place?.text !== undefined) contents.set(place.place, place.text)
    }
    for (const store of Object.values(workflow.stores)) {
      contents.set(`${MovedProps.storeRef(store)}.json`, render({ name: store }))
    }
  }
  return contents
}

/** Removes what lies beside a workflow no longer: only of those that are written now. */
export const isStale = ({ placed }: Chosen) => (path: string): boolean =>
  placed.some(({ ref }) => path.startsWith(`${ref}/`))

/** Refuses a folder that something else has written. */
export const mayWrite = Effect.fnUntraced(function*(into: string, record: Option.Option<MovingRecord.MovingRecord>) {
  const files = yield* FileSystem.FileSystem
  const present = yield* Effect.option(files.readDirectory(into))
  const isThere = Option.isSome(present) || (yield* Effect.orElseSucceed(files.exists(into), () => false))
  if (Option.isSome(record) || !isThere) return isThere
  if (Option.isSome(present) && present.value.length === 0) return true
  return yield* new CommandRefused({
    message: `${into} is there, and no import has made it: give another folder with --into`
  })
})
