/** A folder that was fetched from the service, or that it has exported. */
import { Effect, FileSystem, Option, Result, type Schema } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import type { ArchivedCode } from "./ActionPlaces.ts"
import * as ArchivedWorkflow from "./ArchivedWorkflow.ts"
import { type Fields, isFields, textIn } from "./Fields.ts"
import * as JsonFile from "./JsonFile.ts"
import type { Finding } from "./MovingReport.ts"
import { failed, idIn, isLink, namesIn, type ProjectWorkflow, slash, typeOf, type Unread } from "./ProjectFolder.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

const archiveFile = "archive.json"
const manifestFile = "manifest.json"
const format = "headwater-archive/1"

const mostFiles = 20_000
const deepest = 30

/** A file of an archive that holds an object. */
export interface ArchivedFile {
  /** From the archive, with slashes. */
  readonly path: string
  readonly fields: Fields
  readonly lineOf: (path: WorkflowFile.Path) => number
}

/** A list of an archive, each with its line. */
export type ArchivedList = ReadonlyArray<{ readonly fields: Fields; readonly line: number }>

export interface Archive {
  readonly root: string
  /** The time at which it was fetched, in Unix milliseconds; undefined where it does not say so. */
  readonly fetchedAt: number | undefined
  readonly workflows: ReadonlyArray<ProjectWorkflow>
  readonly unread: ReadonlyArray<Unread>
  readonly findings: ReadonlyArray<Finding>
  /** By their ids there. */
  readonly sources: ReadonlyMap<string, ArchivedFile>
  readonly components: ReadonlyArray<ArchivedFile>
  readonly subscriptions: ArchivedList
  readonly webhooks: ArchivedList
  readonly accounts: ArchivedList
  /** The files of the entries of data stores, by the ids of these. */
  readonly stores: ReadonlyMap<string, string>
}

/** All entries of a manifest, however it lists them. */
const entriesIn = (
  value: Json,
  path: WorkflowFile.Path = []
): ReadonlyArray<{ readonly fields: Fields; readonly path: WorkflowFile.Path }> => {
  if (Array.isArray(value)) return value.flatMap((each: Json, index) => entriesIn(each, [...path, index]))
  if (!isFields(value)) return []
  const inner = Object.entries(value).flatMap(([name, each]) => entriesIn(each, [...path, name]))
  const id = textIn(value, "id", "workflow_id", "workflowId")
  const isWorkflow = id !== undefined && idIn(id) === id
  return isWorkflow ? [{ fields: value, path }, ...inner] : inner
}

/** True if a folder is an archive. Folders of other kinds have such files, too. */
export const isArchive = Effect.fnUntraced(function*(root: string) {
  const reading = new Reading(root)
  const archive = yield* reading.json(archiveFile)
  if (Result.isSuccess(archive) && isFields(archive.success.value)) {
    if (textIn(archive.success.value, "format")?.startsWith("headwater-archive/") === true) return true
  }
  const manifest = yield* reading.json(manifestFile)
  return Result.isSuccess(manifest) && entriesIn(manifest.success.value).length > 0
})

const idOf = (fields: Fields): string | undefined =>
  ["id", "workflow_id", "workflowId"].map((name) => textIn(fields, name)).find((id) =>
    id !== undefined && idIn(id) === id
  )

/** The reason why a workflow of a manifest is not there. */
const reasonOf = (fields: Fields): string => {
  const told = textIn(fields, "reason", "skip_reason", "skipReason", "error", "message", "detail")
  const inner = isFields(fields["error"]) ? textIn(fields["error"], "message", "reason", "code") : undefined
  const status = textIn(fields, "status", "state")
  const isListed = fields["exported"] === true ||
    /^(exported|ok|success|succeeded|done|complete|completed)$/i.test(status ?? "")
  const reason = told ?? inner ?? (isListed ? undefined : status)
  return reason === undefined && isListed
    ? "is listed, but its file is not there"
    : `was not exported: ${reason ?? "without a reason"}`
}

const foldersOfOthers = new Set(["sources", "components", "data_stores", "files"])
const namesOfOthers = new Set([
  archiveFile,
  manifestFile,
  "accounts.json",
  "subscriptions.json",
  "webhooks.json"
])

/** Reads the files of an archive, and what is wrong with them. */
class Reading {
  readonly findings: Array<Finding> = []
  readonly unread: Array<Unread> = []
  readonly #root: string
  #files = 0

  constructor(root: string) {
    this.#root = root
  }

  /** The plain files below a folder that end so, with slashes. */
  filesIn(
    folder: string,
    ending: string,
    depth = 0
  ): Effect.Effect<ReadonlyArray<string>, CommandRefused, FileSystem.FileSystem> {
    return Effect.gen({ self: this }, function*() {
      if ((yield* typeOf(Path.join(this.#root, folder))) !== "Directory") return []
      const found: Array<string> = []
      for (const name of yield* namesIn(this.#root, folder)) {
        const path = Path.join(folder, name)
        const whole = Path.join(this.#root, path)
        if (folder === "" && (foldersOfOthers.has(name) || namesOfOthers.has(name))) continue
        if (yield* isLink(whole)) {
          this.findings.push(failed(slash(path), "is a symbolic link, which is not followed"))
          continue
        }
        const type = yield* typeOf(whole)
        if (type === "Directory" && depth < deepest) found.push(...yield* this.filesIn(path, ending, depth + 1))
        else if (type === "Directory") this.findings.push(failed(slash(path), `is more than ${deepest} folders deep`))
        else if (type === "File" && name.endsWith(ending)) {
          this.#files += 1
          if (this.#files > mostFiles) {
            return yield* new CommandRefused({ message: `${this.#root} has more than ${mostFiles} files` })
          }
          found.push(slash(path))
        }
      }
      return found
    })
  }

  /** A file of JSON, or what is wrong with it. */
  json(path: string) {
    return Effect.gen({ self: this }, function*() {
      const files = yield* FileSystem.FileSystem
      const whole = Path.join(this.#root, path)
      const fault = (message: string) => Result.fail([{ line: 1, message }])
      if ((yield* isLink(whole)) || (yield* typeOf(whole)) !== "File") return fault("is no plain file")
      const size = Number((yield* Effect.orElseSucceed(files.stat(whole), () => ({ size: 0n }))).size)
      if (size > JsonFile.mostBytes) return fault(`is larger than ${JsonFile.mostBytes} bytes`)
      const bytes = yield* Effect.option(files.readFile(whole))
      return Option.isNone(bytes) ? fault("can't be read") : JsonFile.read(bytes.value)
    })
  }

  /** A file that holds an object; nothing if it is wrong, which is told. */
  fields(path: string) {
    return Effect.gen({ self: this }, function*() {
      const read = yield* this.json(path)
      if (Result.isFailure(read)) {
        this.findings.push(...read.failure.map(({ line, message }) => failed(path, message, line)))
        return undefined
      }
      const { lineOf, value } = read.success
      const data: Json | undefined = isFields(value) && isFields(value["data"]) ? value["data"] : value
      if (isFields(data)) return { path, fields: data, lineOf } satisfies ArchivedFile as ArchivedFile
      this.findings.push(failed(path, "is not an object"))
      return undefined
    })
  }

  /** A list, which need not be there. */
  list(path: string) {
    return Effect.gen({ self: this }, function*() {
      if ((yield* typeOf(Path.join(this.#root, path))) === undefined) return []
      const read = yield* this.json(path)
      if (Result.isFailure(read)) {
        this.findings.push(...read.failure.map(({ line, message }) => failed(path, message, line)))
        return []
      }
      const { lineOf, value } = read.success
      const inner = isFields(value) ? value["data"] : undefined
      const [items, at]: readonly [unknown, WorkflowFile.Path] = Array.isArray(inner) ? [inner, ["data"]] : [value, []]
      if (Array.isArray(items)) {
        return items.flatMap((fields: unknown, index) =>
          isFields(fields) ? [{ fields, line: lineOf([...at, index]) }] : []
        )
      }
      this.findings.push(failed(path, "is not a list"))
      return []
    })
  }
}

/** The entry of a file in a manifest. */
const listedOf = (manifest: ReturnType<typeof entriesIn>, path: string) =>
  manifest.find(({ fields }) => {
    const file = textIn(fields, "path", "file", "filename", "file_path")
    return file !== undefined && [path, path.replace(/^project\//, "")].includes(slash(Path.normalize(file)))
  })

/** A workflow that the API answers in one file, and that was exported in another: only an export has control flow. */
const united = (fetched: ProjectWorkflow, exported: ProjectWorkflow): ProjectWorkflow =>
  exported.file.value.steps?.some(({ block }) => block !== undefined) === true
    ? { ...exported, triggers: new Map([...exported.triggers ?? [], ...fetched.triggers ?? []]) }
    : fetched

/** The workflows of an archive, and those of its manifest that it does not have. */
const readWorkflows = Effect.fnUntraced(function*(
  reading: Reading,
  isFetched: boolean,
  manifest: ReturnType<typeof entriesIn>,
  lineOf: (path: WorkflowFile.Path) => number
) {
  const workflows = new Map<string, ProjectWorkflow>()
  const unread: Array<Unread> = []
  const fetched = isFetched ? yield* reading.filesIn("workflows", ".json") : []
  const exported = yield* reading.filesIn(isFetched ? "project" : "", ".json")
  for (const path of [...fetched.filter((path) => !path.endsWith(".events.json")), ...exported]) {
    const folder = path.replace(/\.json$/, "")
    const read = yield* reading.json(path)
    const listed = listedOf(manifest, path)
    const listedId = listed === undefined ? undefined : idOf(listed.fields)
    if (Result.isFailure(read)) {
      const id = listedId ?? idIn(Path.posix.basename(folder)) ?? folder
      unread.push({ id, folder, findings: read.failure.map(({ line, message }) => failed(path, message, line)) })
      continue
    }
    const made = ArchivedWorkflow.of(read.success, path)
    if (made === undefined) {
      if (fetched.includes(path)) {
        unread.push({ id: folder, folder, findings: [failed(path, "has no steps of a workflow")] })
      } else {reading.findings.push({
          kind: "different",
          file: path,
          line: 1,
          message: "is no workflow, and is left out"
        })}
      continue
    }
    const workflow = idIn(made.id) === made.id ? made : { ...made, id: listedId ?? made.id }
    const other = workflows.get(workflow.id)
    if (other === undefined) workflows.set(workflow.id, workflow)
    else if (fetched.includes(other.archivedIn ?? "") && !fetched.includes(path)) {
      workflows.set(workflow.id, united(other, workflow))
    } else {
      const message = `${other.archivedIn ?? other.folder} is the same workflow (${workflow.id})`
      unread.push({ id: workflow.id, folder, findings: [failed(path, message)] })
    }
  }
  const known = new Set([...workflows.keys(), ...unread.map(({ id }) => id)])
  for (const { fields, path } of manifest) {
    const id = idOf(fields)
    if (id === undefined || known.has(id)) continue
    known.add(id)
    const message = `${id}: ${reasonOf(fields)}`
    const findings = [failed(manifestFile, message, lineOf(path))]
    unread.push({ id, folder: textIn(fields, "name", "title") ?? id, findings })
  }
  return { workflows: [...workflows.values()], unread }
})

/** Reads an archive. */
export const read = Effect.fnUntraced(function*(root: string) {
  const reading = new Reading(root)
  const isFetched = (yield* typeOf(Path.join(root, archiveFile))) === "File"
  let fetchedAt: number | undefined
  if (isFetched) {
    const mark = yield* reading.json(archiveFile)
    const given = Result.isSuccess(mark) && isFields(mark.success.value) ? mark.success.value : {}
    const time = Date.parse(textIn(given, "fetched_at") ?? "")
    fetchedAt = time >= 0 ? time : undefined
    if (given["format"] !== format) {
      return yield* new CommandRefused({
        message: `${Path.join(root, archiveFile)}: format: expected ${JSON.stringify(format)}, which this version reads`
      })
    }
  }
  const hasManifest = (yield* typeOf(Path.join(root, manifestFile))) === "File"
  const manifest = hasManifest ? yield* reading.json(manifestFile) : undefined
  if (manifest !== undefined && Result.isFailure(manifest)) {
    const [{ line, message } = { line: 1, message: "can't be read" }] = manifest.failure
    return yield* new CommandRefused({ message: `${Path.join(root, manifestFile)}:${line}: ${message}` })
  }
  const { workflows, unread } = yield* readWorkflows(
    reading,
    isFetched,
    manifest === undefined ? [] : entriesIn(manifest.success.value),
    manifest?.success.lineOf ?? (() => 1)
  )
  const filesOf = Effect.fnUntraced(function*(folder: string) {
    const paths = isFetched ? yield* reading.filesIn(folder, ".json") : []
    const files = yield* Effect.forEach(paths, (path) => reading.fields(path))
    return files.filter((file) => file !== undefined)
  })
  const listOf = (name: string) => isFetched ? reading.list(name) : Effect.succeed<ArchivedList>([])
  const sources = yield* filesOf("sources")
  const stores = isFetched ? yield* reading.filesIn("data_stores", ".jsonl") : []
  return {
    root,
    fetchedAt,
    workflows,
    unread,
    sources: new Map(sources.map((file) => [Path.posix.basename(file.path, ".json"), file])),
    components: yield* filesOf("components"),
    subscriptions: yield* listOf("subscriptions.json"),
    webhooks: yield* listOf("webhooks.json"),
    accounts: yield* listOf("accounts.json"),
    stores: new Map(stores.map((path) => [Path.posix.basename(path, ".jsonl"), path])),
    findings: reading.findings
  } satisfies Archive as Archive
})

/** The code of actions that the archive has: those of workflows, and those that were saved there. */
export const actionsOf = ({ components, workflows }: Archive): ReadonlyArray<ArchivedCode> => [
  ...workflows.flatMap(({ actions }) => actions ?? []),
  ...components.flatMap(({ fields }) => {
    const [key, code] = [textIn(fields, "key"), textIn(fields, "code")]
    return key === undefined || code === undefined ? [] : [{ key, version: textIn(fields, "version"), code }]
  })
]

/** The id there of what a trigger listens to, if the archive knows it. */
export const emitterOf = (trigger: string, { sources, subscriptions }: Archive): string | undefined =>
  sources.has(trigger)
    ? trigger
    : subscriptions.flatMap(({ fields }) => fields["id"] === trigger ? textIn(fields, "emitter_id") ?? [] : [])[0]

/** Completes workflows of a folder of git by what an archive alone has of them, and has those that only it has, too. */
export const completed = (
  workflows: ReadonlyArray<ProjectWorkflow>,
  archive: Archive
): ReadonlyArray<ProjectWorkflow> => {
  const archived = new Map(archive.workflows.map((workflow) => [workflow.id, workflow]))
  const own = new Set(workflows.map(({ id }) => id))
  const all = [...workflows, ...archive.workflows.filter(({ id }) => !own.has(id))]
  const known = new Set(all.map(({ id }) => id))
  return all.map((workflow) => {
    const triggers = new Map(archived.get(workflow.id)?.triggers)
    for (const { id } of workflow.file.value.triggers ?? []) {
      const emitter = emitterOf(id, archive)
      if (emitter === undefined || !archive.sources.has(emitter) && !known.has(emitter)) continue
      triggers.set(id, { ...triggers.get(id) ?? { isOff: false }, hasEmitter: true })
    }
    return { ...workflow, triggers }
  })
}
