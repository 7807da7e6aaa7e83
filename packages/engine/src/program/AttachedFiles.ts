import type { AccountId } from "@headwater/domain/Id"
import { lenderName, lentName, type RunFile } from "@headwater/domain/RunFile"
import type { WorkflowSettings } from "@headwater/domain/Workflow"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import type { RunFiles } from "@headwater/sandbox/Run"
import { Effect, Option } from "effect"

/** Below `/tmp`. */
const directory = "attachments"

const [ofDirectory, ofFile] = [0o040755, 0o100644]

type Attachments = WorkflowSettings["attachments"]

/** The paths at which code reads the files that are attached to its workflow, by their names. */
export const pathsOf = (attachments: Attachments): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(attachments).map((name) => [name, `/tmp/${directory}/${name}`]))

/** Files that a step is lent for as long as it runs, and their bytes. */
export interface AttachedFiles {
  readonly entries: ReadonlyArray<RunFile>
  readonly read: RunFiles["read"]
}

const isDirectory = ({ mode }: RunFile): boolean => (mode & 0o170000) === ofDirectory - 0o755

/** The files of a run with those that a step is lent, of which the run may have made others at the same paths. */
export const lendTo = (run: RunFiles, { entries, read }: AttachedFiles): RunFiles => {
  const own = new Map(run.entries.map((entry) => [entry.path, entry]))
  const place = own.get(directory)
  if (entries.length === 0 || place !== undefined && !isDirectory(place)) return run
  const lent = entries.filter(({ path }) => !own.has(path))
  return {
    ...run,
    // A directory stands before what is in it.
    entries: [...run.entries, ...lent].toSorted((one, other) => one.path < other.path ? -1 : 1),
    read: (content, place) => {
      const name = lenderName(content)
      return name === undefined ? run.read(content, place) : read(name, place)
    }
  }
}

/** Finds the files that are attached to a workflow, as they are now. One that is not there is left out. */
export const make = Effect.map(
  StoredFiles,
  (files) =>
    Effect.fnUntraced(function*(accountId: AccountId, attachments: Attachments): Effect.fn.Return<AttachedFiles> {
      const found = yield* Effect.forEach(
        Object.entries(attachments),
        ([name, path]) =>
          Effect.map(untilAnswered(files.at(accountId, path)), Option.map((file) => ({ ...file, name })))
      )
      const entries = found.flatMap((each) => Option.toArray(each)).map(({ content, name, size, updatedAt }) => ({
        path: `${directory}/${name}`,
        mode: ofFile,
        modifiedAt: updatedAt * 1_000,
        size,
        content: lentName(content),
        target: null
      }))
      const newest = Math.max(0, ...entries.map(({ modifiedAt }) => modifiedAt))
      const around = { path: directory, mode: ofDirectory, modifiedAt: newest, size: 0, content: null, target: null }
      return {
        entries: entries.length === 0 ? [] : [around, ...entries],
        read: (content, place) =>
          Effect.map(untilAnswered(files.part(accountId, content, place)), (bytes) => bytes ?? new Uint8Array())
      }
    })
)
