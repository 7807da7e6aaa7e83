import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { BoundedMap } from "@headwater/domain/BoundedMap"
import type { SourcePlaces } from "@headwater/sandbox/SourcePlaces"
import { explain } from "@headwater/server/ErrorExplanation"
import { Console, Deferred, Effect, FiberHandle, Predicate, Result, Semaphore, Stream } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"
import type { Kind } from "../given/ProgramByName.ts"
import * as EventTail from "../tail/EventTail.ts"
import * as RunTail from "../tail/RunTail.ts"
import type { ComponentEntry } from "./ComponentEntry.ts"
import { type ComponentBundle, ComponentFiles } from "./ComponentFiles.ts"
import * as Deployment from "./Deployment.ts"
import * as DevOutput from "./DevOutput.ts"
import * as FileWatch from "./FileWatch.ts"
import * as WorkflowDeployment from "./WorkflowDeployment.ts"

export interface DevSessionOptions extends Deployment.DeploymentOptions {
  readonly kind: Kind
  readonly entry: ComponentEntry
  /** The streams of the source or workflow that are shown. */
  readonly streams: ReadonlyArray<string>
}

/** Of how many versions it is known where they were written: runs of an old one may yet end. */
const mostPlaces = 20

/** True for failures that no saved file can mend. */
const isFinal = (error: unknown): boolean => ["KeyRefused", "QuitError"].some((tag) => Predicate.isTagged(error, tag))

/** The outcome of a deployment: `later` if the server was away, and it is tried again. */
type Came = "deployed" | "failed" | "later"

/** The interval at which a deployment is tried again while the server is away. */
const again = "1 second"

/** The place from which on a source's or workflow's doings are shown. */
interface Beginning {
  readonly places: ReadonlyArray<EventTail.Place>
  readonly runs: RunTail.Place
}

/** The deployment that errors of the program name: that of a source is its component. */
const deploymentOf = (program: SourceResource | WorkflowResource): string =>
  "component_id" in program ? program.component_id : program.deployment_id

/** Deploys a component or workflow anew whenever one of its files changes, and shows what it does. */
export const make = Effect.fnUntraced(function*({ entry, kind, streams, ...options }: DevSessionOptions) {
  const { url } = yield* ApiAccess
  const files = yield* ComponentFiles
  const deployment = kind === "source" ? yield* Deployment.make(options) : yield* WorkflowDeployment.make(options)
  const watch = yield* FileWatch.make
  const tail = yield* FiberHandle.make()
  /** A workflow's errors name a deployment that is known only when it is there. */
  const turn = yield* Semaphore.make(1)

  const places = new BoundedMap<string, SourcePlaces>(mostPlaces)
  let newest: SourcePlaces | undefined
  let tailed: string | undefined
  let program: SourceResource | WorkflowResource | undefined
  let last: { readonly outcome: string; readonly came: Came } | undefined

  const watcher: EventTail.Watcher = {
    event: (event) => turn.withPermit(DevOutput.event(event, (id) => id === undefined ? newest : places.get(id))),
    lost: (why) => DevOutput.say("lost", `${why}. Trying again`),
    back: DevOutput.say("back", url)
  }

  const show = (id: string, { places, runs }: Beginning) =>
    Effect.raceFirst(
      EventTail.follow(places, watcher),
      kind === "source" ? Effect.never : RunTail.follow(id, runs, DevOutput.run)
    )
  const over = yield* Deferred.make<never, Effect.Error<ReturnType<typeof show>>>()

  const follow = Effect.fnUntraced(function*(id: string, beginning: Beginning) {
    tailed = id
    yield* FiberHandle.run(tail, show(id, beginning).pipe(Effect.catch((error) => Deferred.fail(over, error))))
  })

  const deploy = Effect.fnUntraced(function*(bundle: ComponentBundle) {
    const prepared = yield* deployment.prepare({ _tag: "Code", bundle, name: entry.name })
    newest = bundle.place
    const { before, deploymentId } = prepared
    if (deploymentId !== undefined) places.set(deploymentId, bundle.place)
    // From before the change, so that what its hooks do is shown.
    if (before !== undefined && before.id !== tailed) {
      yield* follow(before.id, {
        places: yield* EventTail.ends(EventTail.logsOf(kind, before.id, streams)),
        runs: kind === "source" ? RunTail.beginning : yield* RunTail.end(before.id)
      })
    }
    const apply = Effect.gen(function*() {
      const deployed = yield* prepared.apply
      places.set(deploymentOf(deployed.program), bundle.place)
      return deployed
    })
    const deployed = yield* (deploymentId === undefined ? turn.withPermit(apply) : apply)
    const isFirst = program === undefined
    program = deployed.program
    yield* isFirst
      ? Console.log(`${Deployment.linesOf(deployed)}\n`)
      : DevOutput.say("deployed", program.name)
    if (program.id !== tailed) {
      yield* follow(program.id, {
        places: EventTail.behind(EventTail.logsOf(kind, program.id, streams), "0-0"),
        runs: RunTail.beginning
      })
    }
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
    const isSame = outcome === last?.outcome
    if (isSame && (last?.came === "deployed" || (last?.came === "failed" && !isSaved))) return mayHaveMissed
    const wasAway = isSame && last?.came === "later"
    const came = yield* Effect.flatMap(Effect.fromResult(built), deploy).pipe(
      Effect.as("deployed" as Came),
      Effect.catchIf(
        (error) => !isFinal(error),
        (error) => {
          const isLater = PassingFailure.is(error)
          const why = explain(error) + (isLater ? ". Trying again" : "")
          const told = isLater && wasAway && !isSaved ? Effect.void : DevOutput.say("failed", why)
          return Effect.as(told, isLater ? "later" as Came : "failed" as Came)
        }
      )
    )
    last = { outcome, came }
    return mayHaveMissed
  })

  const update = Effect.fnUntraced(function*(isSaved: boolean) {
    let again = yield* step(isSaved)
    while (again) again = yield* step(false)
  })

  return {
    /** The source or workflow, once there is one. */
    program: (): SourceResource | WorkflowResource | undefined => program,
    /** Goes on until it is interrupted, or cannot. */
    run: Effect.gen(function*() {
      yield* update(false)
      yield* DevOutput.say("watching", `${Path.relative("", entry.file)} and what it imports. Ctrl-C ends`)
      const waiting = Stream.tick(again).pipe(Stream.filter(() => last?.came === "later"), Stream.as(false))
      yield* watch.changes.pipe(Stream.as(true), Stream.merge(waiting), Stream.runForEach(update))
    }).pipe(Effect.raceFirst(Deferred.await(over)))
  }
})
