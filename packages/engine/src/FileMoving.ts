import * as EmitId from "@headwater/domain/EmitId"
import * as Recurring from "@headwater/domain/Recurring"
import { partsOf } from "@headwater/domain/RunFile"
import { partsOfObject, type StoredFile } from "@headwater/domain/StoredFile"
import { type Bucket, FileBucket } from "@headwater/log/resources/FileBucket"
import { keyOf, StoredFiles } from "@headwater/log/resources/StoredFiles"
import { type FileObjects, UnwantedObjects } from "@headwater/log/resources/UnwantedObjects"
import { Clock, Effect, Exit } from "effect"
import { Singleton } from "effect/cluster"

/** The time between two looks for files that are to be moved, and objects that are to go. */
const interval = "10 seconds"

/** Files that are looked at together. */
const filesAtOnce = 20

/** Objects that no file has after so many milliseconds are removed: the server has stopped while it moved the file. */
const strayMs = 3_600_000

/** A file is not moved any more when so little is left of this time: clocks of nodes may differ by that. */
const marginMs = 600_000

/** Puts the bytes of a file into the bucket, and then has the file be there. */
const moveOne = Effect.fnUntraced(function*(bucket: Bucket, file: StoredFile) {
  const files = yield* StoredFiles
  const unwanted = yield* UnwantedObjects
  const parts = partsOf(file.size)
  const objects: FileObjects = { object: EmitId.make(), count: Math.ceil(parts / partsOfObject) }
  const dueAt = (yield* Clock.currentTimeMillis) + strayMs
  yield* unwanted.put(objects, dueAt)
  for (let nth = 0; nth < objects.count; nth++) {
    const chunks: Array<Uint8Array> = []
    for (let place = nth * partsOfObject; place < Math.min(parts, (nth + 1) * partsOfObject); place++) {
      const bytes = yield* files.part(file.accountId, file.content, place)
      // It was removed or written anew.
      if (bytes === undefined) return
      chunks.push(bytes)
    }
    const key = keyOf(objects.object, nth)
    const put = bucket.put(key, Buffer.concat(chunks))
    // Without an answer it may be there all the same.
    const undo = Effect.ignore(Effect.andThen(bucket.remove(key), unwanted.removed(objects.object)))
    yield* nth === 0 ? Effect.tapError(put, () => undo) : put
  }
  yield* files.move(file, objects.object, (yield* Clock.currentTimeMillis) + marginMs)
})

const removeOne = Effect.fnUntraced(function*(bucket: Bucket, { count, object }: FileObjects) {
  const unwanted = yield* UnwantedObjects
  yield* Effect.gen(function*() {
    for (let nth = 0; nth < count; nth++) yield* bucket.remove(keyOf(object, nth))
    yield* unwanted.removed(object)
  }).pipe(
    Effect.tapError(() => Effect.flatMap(Clock.currentTimeMillis, (now) => unwanted.postpone(object, now)))
  )
})

/** Moves large files into the operator's bucket, and removes from it what no file has any more. */
export const sweep = Effect.gen(function*() {
  const bucket = yield* FileBucket
  if (bucket === undefined) return
  const files = yield* StoredFiles
  const unwanted = yield* UnwantedObjects
  // If one fails, the others are moved and removed all the same, unless the bucket takes nothing.
  const moved: Array<Exit.Exit<void, unknown>> = []
  let isTaking = true
  for (const file of yield* files.large(filesAtOnce)) {
    const moving = Effect.tapError(moveOne(bucket, file), ({ _tag }) =>
      Effect.sync(() => {
        isTaking = _tag !== "FileBucketFailed"
      }))
    moved.push(yield* Effect.exit(moving))
    if (!isTaking) break
  }
  const due = yield* unwanted.due(yield* Clock.currentTimeMillis)
  const removed = yield* Effect.forEach(due, (objects) => Effect.exit(removeOne(bucket, objects)))
  yield* Exit.asVoidAll([...moved, ...removed])
})

/** Sweeps for as long as this is built: on one node, however many there are. */
export const layer = Singleton.make(
  "FileMoving",
  Recurring.repeat("move files into the bucket, or remove them from there", interval, sweep)
)
