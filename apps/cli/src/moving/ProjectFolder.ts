import { Effect, FileSystem, Option, Result } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
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
}

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

const failed = (file: string, message: string, line = 1): Finding => ({ kind: "failed", file, line, message })

const idIn = (name: string): string | undefined => /(?:^|-)(p_[0-9A-Za-z]+)$/.exec(name)?.[1]

const slash = (path: string) => path.split(Path.sep).join("/")

/** Reads a folder that the hosted service synchronises with git. */
export const read = Effect.fnUntraced(function*(root: string) {
  const files = yield* FileSystem.FileSystem
  const workflows: Array<ProjectWorkflow> = []
  const unread: Array<Unread> = []
  const findings: Array<Finding> = []
  const firstOf = new Map<string, string>()
  let folders = 0

  const isLink = (path: string) => Effect.map(Effect.option(files.readLink(path)), Option.isSome)
  const typeOf = (path: string) =>
    Effect.map(Effect.option(files.stat(path)), (info) => Option.getOrUndefined(info)?.type)
  const namesIn = (folder: string) =>
    Effect.map(
      Effect.mapError(
        files.readDirectory(Path.join(root, folder)),
        ({ message }) => new CommandRefused({ message: `${folder === "" ? root : folder} can't be read: ${message}` })
      ),
      (names) => names.toSorted()
    )

  /** The files below a folder of a workflow, which are its own. */
  const ownFiles = Effect.fnUntraced(function*(folder: string, told: Array<Finding>) {
    const own: Array<ProjectFile> = []
    let bytes = 0
    const within = Effect.fnUntraced(function*(inner: string, depth: number): Effect.fn.Return<
      void,
      CommandRefused,
      FileSystem.FileSystem
    > {
      const names = yield* namesIn(Path.join(folder, inner))
      if (inner !== "" && (names.includes(workflowFile) || names.includes(recordFile))) return
      for (const name of names) {
        const path = Path.join(inner, name)
        const shown = slash(Path.join(folder, path))
        if (skipped.has(name) || inner === "" && (name === workflowFile || name === stateFile)) continue
        if (yield* isLink(Path.join(root, folder, path))) {
          told.push(failed(shown, "is a symbolic link, which is not followed"))
          continue
        }
        const type = yield* typeOf(Path.join(root, folder, path))
        if (type === "Directory") {
          if (depth < deepest) yield* within(path, depth + 1)
          continue
        }
        if (type !== "File") {
          told.push(failed(shown, "is no plain file"))
          continue
        }
        const info = yield* Effect.option(files.stat(Path.join(root, folder, path)))
        bytes += Number(Option.getOrUndefined(info)?.size ?? 0n)
        if (own.length >= mostFiles || bytes > mostFileBytes) {
          told.push(
            failed(shown, `is left out: a workflow brings ${mostFiles} files of ${mostFileBytes} bytes at most`)
          )
          return
        }
        const content = yield* Effect.option(files.readFile(Path.join(root, folder, path)))
        if (Option.isSome(content)) own.push({ path: slash(path), bytes: content.value })
        else told.push(failed(shown, "can't be read"))
      }
    })
    yield* within("", 0)
    return own
  })

  const readWorkflow = Effect.fnUntraced(function*(folder: string, names: ReadonlyArray<string>) {
    const shown = (name: string) => slash(Path.join(folder, name))
    const bytesOf = Effect.fnUntraced(function*(name: string) {
      const path = Path.join(root, folder, name)
      if (!names.includes(name) || (yield* isLink(path)) || (yield* typeOf(path)) !== "File") return undefined
      const size = Number((yield* Effect.orElseSucceed(files.stat(path), () => ({ size: 0n }))).size)
      // One that is larger is refused by its size.
      if (size > WorkflowFile.mostBytes) return new Uint8Array(WorkflowFile.mostBytes + 1)
      return Option.getOrUndefined(yield* Effect.option(files.readFile(path)))
    })
    const named = idIn(Path.basename(folder === "" ? Path.resolve(root) : folder))
    const told: Array<Finding> = []
    const stateBytes = yield* bytesOf(stateFile)
    const state = stateBytes === undefined ? undefined : WorkflowFile.readState(stateBytes)
    if (state !== undefined && Result.isFailure(state)) {
      told.push(...state.failure.map(({ line, message }) => failed(shown(stateFile), message, line)))
    }
    const given = state !== undefined && Result.isSuccess(state) ? state.success.value.id : undefined
    if (given !== undefined && idIn(given) !== given) {
      told.push(failed(shown(stateFile), `id: ${JSON.stringify(given)} is not the id of a workflow`))
    }
    const id = (given !== undefined && idIn(given) === given ? given : named) ?? (slash(folder) || ".")
    const bytes = yield* bytesOf(workflowFile)
    const file = bytes === undefined ? undefined : WorkflowFile.readWorkflow(bytes)
    if (file === undefined || Result.isFailure(file)) {
      const faults = file === undefined ? [{ line: 1, message: "is missing, or is no plain file" }] : file.failure
      const all = [...told, ...faults.map(({ line, message }) => failed(shown(workflowFile), message, line))]
      unread.push({ id, folder: slash(folder) || ".", findings: all })
      return
    }
    const { schema = "" } = file.success.value
    if (schema !== "workflow/2022.04") {
      // Programs of other kinds call their files so, too.
      if (!schema.startsWith("workflow/") && state === undefined) return
      told.push({
        kind: "different",
        file: shown(workflowFile),
        line: file.success.lineOf(["schema"]),
        message: `schema: ${JSON.stringify(schema)} is read as if it were "workflow/2022.04"`
      })
    }
    const other = firstOf.get(id)
    if (other !== undefined) {
      unread.push({
        id,
        folder: slash(folder) || ".",
        findings: [
          failed(shown(names.includes(stateFile) ? stateFile : workflowFile), `${other} is the same workflow (${id})`)
        ]
      })
      return
    }
    firstOf.set(id, slash(folder) || ".")
    const name = Path.basename(folder === "" ? Path.resolve(root) : folder)
    workflows.push({
      id,
      folder: slash(folder),
      slug: named === undefined ? name : name.slice(0, -named.length).replace(/-$/, "") || named,
      file: file.success,
      files: yield* ownFiles(folder, told),
      findings: told
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
    const names = yield* namesIn(folder)
    if (names.includes(recordFile)) return
    if (names.includes(workflowFile) || names.includes(stateFile)) yield* readWorkflow(folder, names)
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
