import { Effect, FileSystem } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as StoreEntries from "../given/StoreEntries.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import type { Archive } from "./ArchiveReading.ts"
import * as MovedProps from "./MovedProps.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as SetupWriting from "./SetupWriting.ts"

/** The most bytes of the entries of one data store. */
const mostBytes = 256 * 1024 * 1024

/** A data store, and how many entries it has got. */
export interface Filled {
  readonly store: string
  readonly count: number
}

/** Gives the data stores that an import has made the entries that the archive has, once. */
export const fill = Effect.fnUntraced(function*(into: string, { root, stores }: Archive) {
  const files = yield* FileSystem.FileSystem
  const { ids } = yield* SetupFolder.read(into)
  const filled: Array<Filled> = []
  const failed: Array<string> = []
  for (const [store, path] of stores) {
    const record = yield* MovingRecord.need(into)
    const id = ids.get(MovedProps.storeRef(store))
    if (id === undefined || record.filled?.includes(store) === true) continue
    const file = Path.join(root, path)
    const count = yield* Effect.gen(function*() {
      const { size } = yield* files.stat(file)
      if (size > mostBytes) return yield* new CommandRefused({ message: `is larger than ${mostBytes} bytes` })
      return yield* StoreEntries.set(id, yield* StoreEntries.read(yield* files.readFileString(file)))
    }).pipe(
      Effect.catchTag(["CommandRefused", "PlatformError", "InvalidRequestProblem"], ({ message }) => {
        failed.push(`${path}: ${message}`)
        return Effect.undefined
      })
    )
    if (count === undefined) continue
    filled.push({ store, count })
    yield* SetupWriting.write(into, new Map(), { ...record, filled: [...record.filled ?? [], store] })
  }
  return { filled, failed }
})
