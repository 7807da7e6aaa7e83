/** A program and its owner, and no cluster, for tests that ask it themselves. */
import type { Program } from "@headwater/domain/Program"
import { EventLog } from "@headwater/log/logs/EventLog"
import { SandboxPool } from "@headwater/sandbox/SandboxPool"
import { Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"
import { answerTo, type IngestRequest } from "../src/ground/ActorCalls.ts"
import * as ProgramActor from "../src/program/ProgramActor.ts"
import * as EngineFixture from "./EngineFixture.ts"

/** Code that does this with each request. */
export const onRequest = (body: string, rest = "") => `
export default {
  props: { http: "$.interface.http", db: "$.service.db" },
  ${rest}
  async run(event) { ${body} }
}`

/** The program's owner, asked at its own endpoint. What it kicks itself for, the test does when it looks. */
export const actorOf = (program: Program, kick = () => {}) =>
  Effect.map(ProgramActor.make(program.id, { kick }), (actor) => ({
    ...actor,
    ingest: (request: Omit<IngestRequest, "endpointKey"> & { readonly endpointKey?: string | null }) =>
      answerTo((onAnswered) => actor.ingest({ endpointKey: program.endpointKey ?? "", ...request }, onAnswered))
  }))

/** A program of the code, in an account of its own, that is yet to be deployed. */
export const start = Effect.fnUntraced(
  function*(code: string, options: Parameters<typeof EngineFixture.program>[2] = {}) {
    const account = yield* EngineFixture.account
    const program = yield* EngineFixture.program(account.id, code, { state: "creating", ...options })
    const actor = yield* actorOf(program)
    return { account, actor, program }
  }
)

/** A stream's payloads, oldest first. */
export const stream = Effect.fnUntraced(function*(program: Program, name = "") {
  const events = yield* (yield* EventLog).latest({ emitterId: program.id, stream: name, limit: 1_000 })
  return events.toReversed().map(({ payload }) => JSON.parse(payload))
})

/** Returns once so many requests have been taken, in real time. */
export const untilRequested = (program: Program, count: number) =>
  Effect.repeat(stream(program, "$requests"), { until: ({ length }) => length >= count })

/** Returns once what is under way has come to run its code, in real time. It may already have ended. */
export const untilRunning = Effect.fnUntraced(function*(working: Fiber.Fiber<unknown, unknown>) {
  const pool = yield* SandboxPool
  yield* TestClock.withLive(Effect.sleep("5 millis")).pipe(
    Effect.andThen(pool.processes),
    Effect.repeat({
      until: (all) => working.pollUnsafe() !== undefined || all.some(({ running }) => running > 0)
    })
  )
})

export type Owner = Effect.Success<ReturnType<typeof actorOf>>

/** Has a request come in; the same `emitId` makes it a repeat. */
export const post = (actor: Owner, body: unknown, emitId = `r${JSON.stringify(body)}`) =>
  actor.ingest({ emitId, payload: JSON.stringify({ body }), hops: 0 })
