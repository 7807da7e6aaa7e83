/** Workflows that n8n has exported: a file of one or a list of them, or a folder of a backup. */
import { Effect, FileSystem, Option, Result } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import { isFields } from "./Fields.ts"
import * as JsonFile from "./JsonFile.ts"
import * as N8nWorkflow from "./N8nWorkflow.ts"
import {
  failed,
  isLink,
  namesIn,
  type Project,
  type ProjectWorkflow,
  slash,
  typeOf,
  type Unread
} from "./ProjectFolder.ts"
import * as WorkflowFile from "./WorkflowFile.ts"

const mostFiles = 5_000
const deepest = 20

/** The files of JSON below a folder. */
const filesIn = Effect.fnUntraced(function*(root: string) {
  const found: Array<string> = []
  const within = Effect.fnUntraced(function*(folder: string, depth: number): Effect.fn.Return<
    void,
    CommandRefused,
    FileSystem.FileSystem
  > {
    for (const name of yield* namesIn(root, folder)) {
      const path = Path.join(folder, name)
      if (name.startsWith(".") || name === "node_modules" || (yield* isLink(Path.join(root, path)))) continue
      const type = yield* typeOf(Path.join(root, path))
      if (type === "Directory" && depth < deepest) yield* within(path, depth + 1)
      if (type === "File" && name.toLowerCase().endsWith(".json")) found.push(path)
      if (found.length > mostFiles) {
        return yield* new CommandRefused({ message: `${root} has more than ${mostFiles} files` })
      }
    }
  })
  yield* within("", 0)
  return found
})

const unreadOf = (path: string, faults: ReadonlyArray<WorkflowFile.Fault>): Unread => ({
  id: path,
  folder: path.replace(/\.json$/i, ""),
  findings: faults.map(({ line, message }) => failed(path, message, line))
})

/** Reads the workflows of a file of JSON, or of all below a folder. */
export const read = Effect.fnUntraced(function*(place: string) {
  const files = yield* FileSystem.FileSystem
  const isFile = (yield* typeOf(place)) === "File"
  const root = isFile ? Path.dirname(place) : place
  const workflows: Array<ProjectWorkflow> = []
  const unread: Array<Unread> = []
  const taken = new Map<string, string>()
  for (const name of isFile ? [Path.basename(place)] : yield* filesIn(place)) {
    const path = slash(name)
    const info = yield* Effect.option(files.stat(Path.join(root, name)))
    if (Option.isSome(info) && Number(info.value.size) > WorkflowFile.mostBytes * 16) {
      unread.push(unreadOf(path, [{ line: 1, message: "is too large" }]))
      continue
    }
    const bytes = yield* Effect.mapError(
      files.readFile(Path.join(root, name)),
      ({ message }) => new CommandRefused({ message: `${path} can't be read: ${message}` })
    )
    const file = JsonFile.read(bytes)
    if (Result.isFailure(file)) {
      unread.push(unreadOf(path, file.failure))
      continue
    }
    const { lineOf, value } = file.success
    const isList = Array.isArray(value)
    for (const [index, each] of (isList ? value : [value]).entries()) {
      const at = isList ? [index] : []
      // Backups have credentials and other things beside the workflows.
      if (!isFile && !(isFields(each) && Array.isArray(each["nodes"]))) continue
      const base = Path.posix.basename(path).replace(/\.json$/i, "")
      const found = isFields(each) ? N8nWorkflow.of(each, file.success, at, path, base) : "is no workflow of n8n"
      const id = isList ? `${path}/${index}` : path
      const before = typeof found === "string" ? undefined : taken.get(found.id)
      if (typeof found === "string") unread.push({ ...unreadOf(path, [{ line: lineOf(at), message: found }]), id })
      else if (before !== undefined) {
        const message = `has the id of a workflow in ${before}, and is left out`
        unread.push({ ...unreadOf(path, [{ line: lineOf(at), message }]), id })
      } else {
        taken.set(found.id, path)
        workflows.push(found)
      }
    }
  }
  return { workflows, unread, findings: [] } satisfies Project as Project
})
