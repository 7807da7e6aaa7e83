import { EgressBroker } from "@headwater/egress/EgressBroker"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { Effect, FiberSet } from "effect"
import type { SandboxProcess } from "./SandboxProcess.ts"
import type { EgressQuestion } from "./SandboxProtocol.ts"

/** Answers a process that asks in the name of a run for a connection or for the addresses of a name. */
export type Answer = (process: SandboxProcess, question: EgressQuestion) => void

/** @param maxConnections the most that a run may ask for */
export const make = Effect.fnUntraced(function*(maxConnections: number) {
  const broker = yield* EgressBroker
  const guard = yield* EgressGuard
  const fork = yield* FiberSet.makeRuntime()

  const answer: Answer = (process, question) => {
    const note = (error?: string) => {
      if (question._tag !== "Connect") return
      const { host, port, run } = question
      process.noteConnection(run, { host, port, ...(error === undefined ? {} : { error }) })
    }
    const refuse = (code: string, message: string) => {
      note(message)
      process.send({ _tag: "Answer", ask: question.ask, error: { code, message } })
    }
    const taken = process.takeConnection(question.run)
    if (taken === "ended") return refuse("EACCES", "The run has ended")
    if (taken === "barred") return refuse("EACCES", "This trial may not open connections")
    if (taken === "exhausted") return refuse("EMFILE", `A run may open at most ${maxConnections} connections`)
    const give = (given: { readonly ticket: string } | { readonly addresses: ReadonlyArray<string> }) =>
      process.send({ _tag: "Answer", ask: question.ask, ...given })
    const asker = {
      accountId: process.accountId ?? process.id,
      programId: process.assignments.get(question.run)?.programId
    }
    const asked = question._tag === "Connect"
      ? Effect.map(broker.ticket(process.id, asker, question), (ticket) => {
        note()
        give({ ticket })
      })
      : Effect.map(
        guard.resolve(question.host, { ...asker, use: "component" }),
        (addresses) => give({ addresses })
      )
    const refused = ({ message }: { readonly message: string }) => Effect.sync(() => refuse("EACCES", message))
    const failed = ({ code, message }: { readonly code: string; readonly message: string }) =>
      Effect.sync(() => refuse(code, message))
    fork(asked.pipe(Effect.catchTags({
      EgressRefused: refused,
      DnsFailed: failed,
      ConnectFailed: failed,
      TooManyConnections: ({ message }) => failed({ code: "EMFILE", message })
    })))
  }
  return answer
})
