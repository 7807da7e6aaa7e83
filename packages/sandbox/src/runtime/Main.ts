/** The program of a sandbox process. Its one argument is the broker's port; all else comes over the channel. */
import * as ExactJson from "@headwater/domain/ExactJson"
import { accountsOf, learnToken, type LiveToken } from "./AccountTokens.ts"
import { receive, send } from "./Channel.ts"
import { type Call, call, describe } from "./Component.ts"
import { installFetch } from "./Fetch.ts"
import { limitFiles } from "./Files.ts"
import { installGlobals } from "./Globals.ts"
import { holdRequests } from "./Holding.ts"
import { Invalid, learn, load } from "./Module.ts"
import { routeNetwork } from "./Network.ts"
import { observeRequests } from "./Observation.ts"
import { installOwnRequire } from "./OwnRequire.ts"
import { onAnswer } from "./Questions.ts"
import { begin, RunContext } from "./RunContext.ts"
import { installSystem } from "./System.ts"
import { type Bindings, Store } from "./This.ts"
import { described } from "./ThrownValue.ts"
import { tellTime, type ToldTime } from "./Time.ts"
import { installWebSocket } from "./WebSocket.ts"
import type { StepCall } from "./Workflow.ts"

const now = performance.now.bind(performance)
const { parse, stringify } = JSON

const inspectComponent = async (run: RunContext, hash: string, kind: "source" | "workflow"): Promise<void> => {
  try {
    const component = await load(hash)
    run.end({ _tag: "Described", description: describe(component.definition, kind) })
  } catch (thrown) {
    run.end({
      _tag: "Refused",
      ...(thrown instanceof Invalid
        ? thrown.details
        : { reason: "load", message: described(thrown, undefined).message })
    })
  }
}

const runComponent = async (run: RunContext, hash: string, what: Call, bindings: Bindings): Promise<void> => {
  try {
    // The top level of its module may ask others, too.
    run.readsFrom = what._tag === "Step" ? what.context.shadow?.reads : undefined
    const component = await load(hash)
    run.file = component
    run.tellsRequests = bindings.tellsRequests
    run.accounts = accountsOf(bindings.tokens)
    Object.assign(run.env, bindings.env)
    await call(component.definition, run, bindings, what)
    run.end({ _tag: "Ended" })
  } catch (thrown) {
    if (!(thrown instanceof Invalid)) return run.fail(thrown)
    run.end({ _tag: "Ended", error: { name: "Error", stack: "", ...thrown.details } })
  }
}

/** Begins one run after the other in its context, each when the one before has ended, for as long as there is another. */
const start = (
  message: Record<string, unknown>,
  programId: string | undefined,
  bodies: Iterator<(run: RunContext) => void>
) => {
  const id = message["run"] as string
  const startNext = () => {
    const { done, value: body } = bodies.next()
    if (done === true) return
    const run = new RunContext(id, programId, startNext)
    begin(run, () => body(run))
  }
  startNext()
}

/** Runs that follow each other begin within so many milliseconds of the first. */
const momentMs = 100

type Asked =
  | Exclude<Call, { readonly _tag: "Run" | "Step" }>
  | {
    readonly _tag: "Run"
    readonly events: ReadonlyArray<unknown>
    readonly isRequest?: boolean
    readonly times?: ReadonlyArray<number>
  }
  | {
    readonly _tag: "Step"
    readonly step: string
    readonly keys: StepCall["keys"]
    readonly runs: ReadonlyArray<Omit<StepCall, "_tag" | "step" | "keys">>
  }

const countOf = (asked: Asked): number =>
  asked._tag === "Run" ? asked.events.length : asked._tag === "Step" ? asked.runs.length : 1

/** The call of a message, read again with its numbers as they are written, once it is asked for. */
const exactlyIn = (line: string): () => Asked => {
  let call: Asked | undefined
  return () => call ??= (ExactJson.parse(line) as { readonly call: Asked }).call
}

const callOf = (asked: Asked, index: number, exact: () => Asked): Call => {
  if (asked._tag === "Step") {
    const { keys, runs, step } = asked
    const exactSteps = () => (exact() as typeof asked).runs[index]!.steps
    return { _tag: "Step", step, keys, ...runs[index]!, exactSteps }
  }
  if (asked._tag !== "Run") return asked
  const { events, times: _times, ...rest } = asked
  return { ...rest, event: events[index], exactEvent: () => (exact() as typeof asked).events[index] }
}

/**
 * A call for each run. After a moment the rest is given back: the results of those that have ended are waited for. So
 * it is where the store is no longer what the next run is to find.
 */
function* callsOf(id: string, asked: Asked, line: string, isStoreSpoiled: () => boolean): Generator<Call> {
  const count = countOf(asked)
  const startedAt = now()
  const exact = exactlyIn(line)
  for (let i = 0; i < count; i++) {
    if (i > 0 && (isStoreSpoiled() || now() - startedAt > momentMs)) {
      return send({ __proto__: null, _tag: "Stopped", run: id })
    }
    yield callOf(asked, i, exact)
  }
}

function* inspections({ hash, kind, time }: Record<string, unknown>) {
  yield (run: RunContext) => {
    run.time = time as ToldTime | undefined
    void inspectComponent(run, hash as string, kind === "workflow" ? "workflow" : "source")
  }
}

/** The time in a run. */
const timeOf = (asked: Asked, index: number, time: ToldTime | undefined): ToldTime | undefined =>
  asked._tag === "Run" && asked.times !== undefined ? { mode: "standing", at: asked.times[index]! } : time

/**
 * The store passes from one run to the next. Each run gets its own copy of all else: code may change the values of its
 * props.
 */
function* runs({ bindings, call, hash, run: id, time }: Record<string, unknown>, line: string) {
  const { db, ...rest } = bindings as Omit<Bindings, "store"> & { readonly db: Record<string, string> }
  const asked = call as Asked
  for (const token of Object.values(rest.tokens)) learnToken(token)
  const store = new Store(db)
  const given = countOf(asked) > 1 ? stringify(rest) : undefined
  let last: RunContext | undefined
  let index = 0
  // The changes of a step that failed are undone.
  const isStoreSpoiled = () => asked._tag === "Step" && last?.failed === true
  for (const what of callsOf(id as string, asked, line, isStoreSpoiled)) {
    const bound: Bindings = { ...(given === undefined ? rest : parse(given) as typeof rest), store }
    const ownTime = timeOf(asked, index++, time as ToldTime | undefined)
    yield (run: RunContext) => {
      last = run
      run.time = ownTime
      void runComponent(run, hash as string, what, bound)
    }
  }
}

const onMessage = (message: Record<string, unknown>, line: string): void => {
  switch (message["_tag"]) {
    case "Start":
      limitFiles(message["maxFileBytes"] as number)
      return send({ __proto__: null, _tag: "Ready" })
    case "Ping":
      return send({ __proto__: null, _tag: "Pong" })
    case "Code":
      return learn(message["hash"] as string, message["code"] as string)
    case "Inspect":
      tellTime(message["time"] as ToldTime | undefined)
      return start(message, undefined, inspections(message))
    case "Run":
      tellTime(message["time"] as ToldTime | undefined)
      return start(message, message["programId"] as string, runs(message, line))
    case "Token":
      return learnToken(message as unknown as LiveToken)
    case "Answer":
      return onAnswer(message)
  }
}

const [brokerPort] = process.argv.slice(2)
routeNetwork(Number(brokerPort))
observeRequests()
holdRequests()
installFetch()
installGlobals()
installWebSocket()
installSystem()
installOwnRequire()
void receive(onMessage)
