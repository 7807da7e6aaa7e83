import type { SourceResource } from "@headwater/api/SourcesApi"
import type { SourcePlaces } from "@headwater/sandbox/SourcePlaces"
import { explain } from "@headwater/server/ErrorExplanation"
import { Console, Deferred, Effect, FiberHandle, Predicate, Result, Stream } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "./ApiAccess.ts"
import type { ComponentEntry } from "./ComponentEntry.ts"
import { type ComponentBundle, ComponentFiles } from "./ComponentFiles.ts"
import * as Deployment from "./Deployment.ts"
import * as DevOutput from "./DevOutput.ts"
import * as FileWatch from "./FileWatch.ts"
import * as SourceTail from "./SourceTail.ts"

export interface DevSessionOptions extends Deployment.DeploymentOptions {
  readonly entry: ComponentEntry
  /** Which streams of the source are shown. */
  readonly streams: ReadonlyArray<string>
}

/** Of how many versions it is known where they were written: runs of an old one may yet end. */
const mostPlaces = 20

/** What no file that is saved can mend. */
const isFinal = (error: unknown): boolean => ["KeyRefused", "QuitError"].some((tag) => Predicate.isTagged(error, tag))

/** Deploys a component anew whenever one of its files changes, and shows what its source does. */
export const make = Effect.fnUntraced(function*({ entry, streams, ...options }: DevSessionOptions) {
  const { url } = yield* ApiAccess
  const files = yield* ComponentFiles
  const deployment = yield* Deployment.make(options)
  const watch = yield* FileWatch.make
  const tail = yield* FiberHandle.make()
  const over = yield* Deferred.make<never, Effect.Error<ReturnType<typeof SourceTail.follow>>>()

  const places = new Map<string, SourcePlaces>()
  let newest: SourcePlaces | undefined
  let tailed: string | undefined
  let source: SourceResource | undefined
  let last: { readonly outcome: string; readonly isDeployed: boolean } | undefined

  const watcher: SourceTail.Watcher = {
    event: (stream, event) => DevOutput.event(stream, event, (id) => id === undefined ? newest : places.get(id)),
    lost: (why) => DevOutput.say("lost", `${why}. Trying again`),
    back: DevOutput.say("back", url)
  }

  const follow = Effect.fnUntraced(function*(id: string, from: ReadonlyArray<SourceTail.Place>) {
    tailed = id
    yield* FiberHandle.run(
      tail,
      SourceTail.follow(id, from, watcher).pipe(Effect.catch((error) => Deferred.fail(over, error)))
    )
  })

  const deploy = Effect.fnUntraced(function*(bundle: ComponentBundle) {
    const prepared = yield* deployment.prepare({ _tag: "Code", bundle, name: entry.name })
    newest = bundle.place
    places.set(prepared.component.id, bundle.place)
    for (const oldest of places.keys()) if (places.size > mostPlaces) places.delete(oldest)
    const { source: before } = prepared
    // From before the change, so that what its hooks do is shown.
    if (before !== undefined && before.id !== tailed) {
      yield* follow(before.id, yield* SourceTail.ends(before.id, streams))
    }
    const deployed = yield* deployment.apply(prepared)
    const isFirst = source === undefined
    source = deployed.program
    yield* isFirst
      ? Console.log(`${Deployment.linesOf(deployed)}\n`)
      : DevOutput.say("deployed", source.name)
    if (source.id !== tailed) yield* follow(source.id, SourceTail.beginnings(streams))
  })

  /**
   * Deploys what is new. Answers whether a change may have been missed.
   *
   * @param isSaved whether a file was saved; a failure is then told again
   */
  const step = Effect.fnUntraced(function*(isSaved: boolean) {
    const looked = new Set<string>()
    const built = yield* Effect.result(files.bundle(entry.file, looked))
    const mayHaveMissed = yield* watch.set(looked)
    const outcome = Result.isSuccess(built) ? built.success.code : built.failure.message
    if (outcome === last?.outcome && (last.isDeployed || !isSaved)) return mayHaveMissed
    const isDeployed = yield* Effect.flatMap(Effect.fromResult(built), deploy).pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => !isFinal(error),
        (error) => Effect.as(DevOutput.say("failed", explain(error)), false)
      )
    )
    last = { outcome, isDeployed }
    return mayHaveMissed
  })

  const update = Effect.fnUntraced(function*(isSaved: boolean) {
    let again = yield* step(isSaved)
    while (again) again = yield* step(false)
  })

  return {
    /** The source, once there is one. */
    source: (): SourceResource | undefined => source,
    /** Goes on until it is interrupted, or cannot. */
    run: Effect.gen(function*() {
      yield* update(false)
      yield* DevOutput.say("watching", `${Path.relative("", entry.file)} and what it imports. Ctrl-C ends`)
      yield* Stream.runForEach(watch.changes, () => update(true))
    }).pipe(Effect.raceFirst(Deferred.await(over)))
  }
})
