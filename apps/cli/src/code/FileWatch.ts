import { explain } from "@headwater/server/ErrorExplanation"
import { Cause, Deferred, Effect, FiberMap, FileSystem, Queue, Stream } from "effect"
import * as Path from "node:path"

/** Editors write a file in several steps. */
const settling = "100 millis"

/** Tells when files change, also when they are replaced, removed, or come to be. */
export const make = Effect.gen(function*() {
  const fileSystem = yield* FileSystem.FileSystem
  const changes = yield* Queue.sliding<void>(1)
  const folders = yield* FiberMap.make<string>()
  let watched: ReadonlySet<string> = new Set()

  /** The part of the way to a file that exists: a folder, and the next name in it. */
  const nearest = Effect.fnUntraced(function*(file: string) {
    let name = file
    while (!(yield* Effect.orElseSucceed(fileSystem.exists(Path.dirname(name)), () => false))) name = Path.dirname(name)
    return name
  })

  const follow = (folder: string, ready: Deferred.Deferred<void>) =>
    fileSystem.watch(folder, { onReady: () => Deferred.doneUnsafe(ready, Effect.void) }).pipe(
      Stream.filter(({ path }) => watched.has(Path.join(folder, path))),
      Stream.runForEach(() => Queue.offer(changes, undefined)),
      // Node throws where there are too many watches.
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logWarning(`Cannot watch ${folder} for changes: ${explain(Cause.squash(cause))}`)
      ),
      Effect.ensuring(Deferred.succeed(ready, undefined))
    )

  return {
    /** Sets the absolute paths of the files. Answers whether what was done to some of them until now may have been missed. */
    set: Effect.fnUntraced(function*(files: ReadonlySet<string>) {
      const next = new Set(yield* Effect.forEach(files, nearest))
      const isMore = [...next].some((path) => !watched.has(path))
      watched = next
      const needed = new Set([...watched].map((file) => Path.dirname(file)))
      for (const [folder] of folders) if (!needed.has(folder)) yield* FiberMap.remove(folders, folder)
      const added = [...needed].filter((folder) => !FiberMap.hasUnsafe(folders, folder))
      for (const folder of added) {
        const ready = yield* Deferred.make<void>()
        yield* FiberMap.run(folders, folder, follow(folder, ready))
        yield* Deferred.await(ready)
      }
      return isMore
    }),
    /** One for all changes that come close together. */
    changes: Stream.fromQueue(changes).pipe(Stream.debounce(settling))
  }
})
