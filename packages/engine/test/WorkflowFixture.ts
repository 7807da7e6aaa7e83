/** A workflow and its owner, and no cluster, for tests that ask it themselves. */
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect } from "effect"
import * as Wake from "../src/ground/Wake.ts"
import { type Owner, post, start } from "./ProgramFixture.ts"

/** A workflow with these steps, run on each request. */
export const steps = (bodies: Record<string, string>, rest = "") => `
export default {
  props: { http: "$.interface.http", db: "$.service.db" },
  ${rest}
  steps: {
    ${Object.entries(bodies).map(([name, body]) => `${name}: { async run({ steps, $ }) { ${body} } }`).join(",\n")}
  }
}`

export const launch = Effect.fnUntraced(function*(code: string, options: Parameters<typeof start>[1] = {}) {
  const started = yield* start(code, { workflow: {}, ...options })
  yield* started.actor.deploy()
  return started
})

/** Has a request come in and everything be done that can be done now. */
export const send = (actor: Owner, body: unknown) => Effect.andThen(post(actor, body), settle(actor))

export const settle = (actor: Owner) => actor.wake(Wake.forEverything)

export const newDeployment = Effect.map(Id.make("deployment"), (id) => Id.DeploymentId.make(id))

/** Its runs, oldest first, each with what became of its steps. */
export const runsOf = Effect.fnUntraced(function*(workflow: Program) {
  const runs = yield* WorkflowRuns
  const { items } = yield* runs.page(Id.WorkflowId.make(workflow.id), {
    limit: 100,
    after: undefined,
    before: undefined,
    status: undefined
  })
  return yield* Effect.forEach(
    items.toReversed(),
    Effect.fnUntraced(function*(run) {
      const done = yield* runs.stepsOf(run.id)
      const event = yield* Effect.flatMap(runs.eventOf(run.id), Effect.fromOption)
      return { ...run, event, steps: done.map(({ name, status }) => `${name} ${status}`) }
    })
  )
})

/** Has a listener hear of what an emitter appends to a stream. */
export const listen = Effect.fnUntraced(function*(listener: Program, emitterId: string, eventName = "") {
  const { accountId, id: listenerId } = listener
  yield* (yield* Subscriptions).create({ accountId, emitterId, listenerId, eventName })
})
