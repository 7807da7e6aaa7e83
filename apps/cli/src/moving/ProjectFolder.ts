import { Effect, FileSystem, Option, Result, type Schema } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import type { ArchivedCode } from "./ActionPlaces.ts"
import type { TriggerSettings } from "./MovedTriggers.ts"
import type { Finding } from "./MovingReport.ts"
import * as WorkflowFile from "./WorkflowFile.ts"

export const workflowFile = "workflow.yaml"
const stateFile = ".workflow.state"

/** Marks a folder that an import has made. */
export const recordFile = "moving.json"

const skipped = new Set([".git", "node_modules"])

const deepest = 30
const mostFolders = 20_000
const mostFiles = 1_000
const mostFileBytes = 16 * 1024 * 1024

/** A file of a workflow, as it is. */
export interface ProjectFile {
  /** From the folder of the workflow, with slashes. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** A workflow as its folder has it. */
export interface ProjectWorkflow {
  /** `p_…`, else its folder. */
  readonly id: string
  /** The folder, from that of the project. */
  readonly folder: string
  /** The name of the folder without the id. */
  readonly slug: string
  readonly file: WorkflowFile.Read<WorkflowFile.WorkflowFile>
  /** All others of its folder, but for those of workflows, and of what an import has made, within it. */
  readonly files: ReadonlyArray<ProjectFile>
  /** About the files. */
  readonly findings: ReadonlyArray<Finding>
  /** The file of an archive that it is from, in place of a folder. */
  readonly archivedIn?: string | undefined
  /** The settings of triggers by their ids, of which only an archive has any. */
  readonly triggers?: ReadonlyMap<string, TriggerSettings>
  /** The code of its actions, of which only an archive has any. */
  readonly actions?: ReadonlyArray<ArchivedCode>
  /** An event that came there. */
  readonly sample?: Schema.Json
}

/** The file that says of what a workflow is made. */
export const fileOf = ({ archivedIn, folder }: Pick<ProjectWorkflow, "archivedIn" | "folder">): string =>
  archivedIn ?? Path.posix.join(folder, workflowFile)

/** The name of a workflow's own file in messages. Within an archive it has none but its step. */
export const placeOf = ({ archivedIn, folder }: Pick<ProjectWorkflow, "archivedIn" | "folder">, path: string): string =>
  archivedIn === undefined ? Path.posix.join(folder, path) : `${archivedIn}#${path}`

/** A workflow that could not be read. */
export interface Unread {
  readonly id: string
  readonly folder: string
  readonly findings: ReadonlyArray<Finding>
}

export interface Project {
  readonly workflows: ReadonlyArray<ProjectWorkflow>
  readonly unread: ReadonlyArray<Unread>
  readonly findings: ReadonlyArray<Finding>
}

export const failed = (file: string, message: string, line = 1): Finding => ({ kind: "failed", file, line, message })

export const idIn = (name: string): string | undefined => /(?:^|-)(p_[0-9A-Za-z]+)$/.exec(name)?.[1]

export const slash = (path: string) => path.split(Path.sep).join("/")

export const isLink = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  return Option.isSome(yield* Effect.option(files.readLink(path)))
})

export const typeOf = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  return Option.getOrUndefined(yield* Effect.option(files.stat(path)))?.type
})

export const namesIn = Effect.fnUntraced(function*(root: string, folder: string) {
  const files = yield* FileSystem.FileSystem
  const names = yield* Effect.mapError(
    files.readDirectory(Path.join(root, folder)),
    ({ message }) => new CommandRefused({ message: `${folder === "" ? root : folder} can't be read: ${message}` })
  )
  return names.toSorted()
})

/** The files below a folder of a workflow, which are its own. */
const ownFiles = Effect.fnUntraced(function*(root: string, folder: string) {
  const files = yield* FileSystem.FileSystem
  const own: Array<ProjectFile> = []
  const findings: Array<Finding> = []
  let bytes = 0
  const within = Effect.fnUntraced(function*(inner: string, depth: number): Effect.fn.Return<
    void,
    CommandRefused,
    FileSystem.FileSystem
  > {
    const names = yield* namesIn(root, Path.join(folder, inner))
    if (inner !== "" && (names.includes(workflowFile) || names.includes(recordFile))) return
    for (const name of names) {
      const path = Path.join(inner, name)
      const shown = slash(Path.join(folder, path))
      if (skipped.has(name) || inner === "" && (name === workflowFile || name === stateFile)) continue
      if (yield* isLink(Path.join(root, folder, path))) {
        findings.push(failed(shown, "is a symbolic link, which is not followed"))
        continue
      }
      const type = yield* typeOf(Path.join(root, folder, path))
      if (type === "Directory") {
        if (depth < deepest) yield* within(path, depth + 1)
        continue
      }
      if (type !== "File") {
        findings.push(failed(shown, "is no plain file"))
        continue
      }
      const info = yield* Effect.option(files.stat(Path.join(root, folder, path)))
      bytes += Number(Option.getOrUndefined(info)?.size ?? 0n)
      if (own.length >= mostFiles || bytes > mostFileBytes) {
        findings.push(
          failed(shown, `is left out: a workflow brings ${mostFiles} files of ${mostFileBytes} bytes at most`)
        )
        return
      }
      const content = yield* Effect.option(files.readFile(Path.join(root, folder, path)))
      if (Option.isSome(content)) own.push({ path: slash(path), bytes: content.value })
      else findings.push(failed(shown, "can't be read"))
    }
  })
  yield* within("", 0)
  return { files: own, findings }
})

/** A folder of the project, with the names of its entries. */
interface Folder {
  readonly root: string
  readonly folder: string
  readonly names: ReadonlyArray<string>
}

/** The bytes of a file of a workflow's folder, if it is a plain one. */
const bytesOf = Effect.fnUntraced(function*({ folder, names, root }: Folder, name: string) {
  const files = yield* FileSystem.FileSystem
  const path = Path.join(root, folder, name)
  if (!names.includes(name) || (yield* isLink(path)) || (yield* typeOf(path)) !== "File") return undefined
  const size = Number((yield* Effect.orElseSucceed(files.stat(path), () => ({ size: 0n }))).size)
  // One that is larger is refused by its size.
  if (size > WorkflowFile.mostBytes) return new Uint8Array(WorkflowFile.mostBytes + 1)
  return Option.getOrUndefined(yield* Effect.option(files.readFile(path)))
})

const shownIn = ({ folder }: Folder, name: string) => slash(Path.join(folder, name))

/** The name of a folder, and the id in it. */
const namedBy = ({ folder, root }: Folder) => {
  const name = Path.basename(folder === "" ? Path.resolve(root) : folder)
  return { name, id: idIn(name) }
}

/** The id of a folder's workflow: that of its state, else that in its name, else the folder. */
const identify = Effect.fnUntraced(function*(at: Folder) {
  const findings: Array<Finding> = []
  const bytes = yield* bytesOf(at, stateFile)
  const state = bytes === undefined ? undefined : WorkflowFile.readState(bytes)
  if (state !== undefined && Result.isFailure(state)) {
    findings.push(...state.failure.map(({ line, message }) => failed(shownIn(at, stateFile), message, line)))
  }
  const given = state !== undefined && Result.isSuccess(state) ? state.success.value.id : undefined
  if (given !== undefined && idIn(given) !== given) {
    findings.push(failed(shownIn(at, stateFile), `id: ${JSON.stringify(given)} is not the id of a workflow`))
  }
  const id = given !== undefined && idIn(given) === given ? given : namedBy(at).id
  return { id: id ?? (slash(at.folder) || "."), hasState: state !== undefined, findings }
})

/** A workflow of which only `workflow.yaml` was read; nothing if the file is another program's. */
const open = Effect.fnUntraced(function*(at: Folder) {
  const { findings, hasState, id } = yield* identify(at)
  const bytes = yield* bytesOf(at, workflowFile)
  const file = bytes === undefined ? undefined : WorkflowFile.readWorkflow(bytes)
  if (file === undefined || Result.isFailure(file)) {
    const faults = file === undefined ? [{ line: 1, message: "is missing, or is no plain file" }] : file.failure
    const all = [...findings, ...faults.map(({ line, message }) => failed(shownIn(at, workflowFile), message, line))]
    return { id, file: undefined, findings: all }
  }
  const { lineOf, value: { schema = "" } } = file.success
  if (schema !== "workflow/2022.04") {
    // Programs of other kinds call their files so, too.
    if (!schema.startsWith("workflow/") && !hasState) return undefined
    findings.push({
      kind: "different",
      file: shownIn(at, workflowFile),
      line: lineOf(["schema"]),
      message: `schema: ${JSON.stringify(schema)} is read as if it were "workflow/2022.04"`
    })
  }
  return { id, file: file.success, findings }
})

/** Reads a folder that the hosted service synchronises with git. */
export const read = Effect.fnUntraced(function*(root: string) {
  const workflows: Array<ProjectWorkflow> = []
  const unread: Array<Unread> = []
  const findings: Array<Finding> = []
  const firstOf = new Map<string, string>()
  let folders = 0

  const readWorkflow = Effect.fnUntraced(function*(at: Folder) {
    const opened = yield* open(at)
    if (opened === undefined) return
    const { file, findings: told, id } = opened
    const folder = slash(at.folder)
    const shown = folder || "."
    if (file === undefined) {
      unread.push({ id, folder: shown, findings: told })
      return
    }
    const other = firstOf.get(id)
    if (other !== undefined) {
      const place = shownIn(at, at.names.includes(stateFile) ? stateFile : workflowFile)
      unread.push({ id, folder: shown, findings: [failed(place, `${other} is the same workflow (${id})`)] })
      return
    }
    firstOf.set(id, shown)
    const own = yield* ownFiles(root, at.folder)
    const { id: named, name } = namedBy(at)
    workflows.push({
      id,
      folder,
      slug: named === undefined ? name : name.slice(0, -named.length).replace(/-$/, "") || named,
      file,
      files: own.files,
      findings: [...told, ...own.findings]
    })
  })

  const walk = Effect.fnUntraced(function*(folder: string, depth: number): Effect.fn.Return<
    void,
    CommandRefused,
    FileSystem.FileSystem
  > {
    folders += 1
    if (folders > mostFolders) {
      return yield* new CommandRefused({
        message: `${root} has more than ${mostFolders} folders: give that of the project`
      })
    }
    const names = yield* namesIn(root, folder)
    if (names.includes(recordFile)) return
    if (names.includes(workflowFile) || names.includes(stateFile)) yield* readWorkflow({ root, folder, names })
    for (const name of names) {
      if (skipped.has(name)) continue
      const inner = Path.join(folder, name)
      const path = Path.join(root, inner)
      if (yield* isLink(path)) {
        if ((yield* typeOf(path)) === "Directory") {
          findings.push(failed(slash(inner), "is a symbolic link, which is not followed"))
        }
        continue
      }
      if ((yield* typeOf(path)) !== "Directory") continue
      if (depth < deepest) yield* walk(inner, depth + 1)
      else findings.push(failed(slash(inner), `is left out: it is more than ${deepest} folders deep`))
    }
  })

  if ((yield* typeOf(root)) !== "Directory") {
    return yield* new CommandRefused({ message: `${root} is not a folder` })
  }
  yield* walk("", 0)
  if (workflows.length === 0 && unread.length === 0) {
    return yield* new CommandRefused({
      message: `${root} has no ${workflowFile} of schema workflow/2022.04: give the folder that the service ` +
        "synchronises with git"
    })
  }
  return { workflows, unread, findings } satisfies Project as Project
})
