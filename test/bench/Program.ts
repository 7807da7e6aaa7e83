/** Programs of a run that have a process of their own, so that what one costs is not paid by another. */
import { Effect, Schema, type Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import * as Path from "node:path"
import { BenchFailed } from "./BenchFailed.ts"

const Question = Schema.Struct({ number: Schema.Int, request: Schema.Unknown })
const Answer = Schema.Struct({
  number: Schema.Int,
  reply: Schema.optionalKey(Schema.Unknown),
  failure: Schema.optionalKey(Schema.String)
})

export interface Program {
  readonly pid: number
  /** Waits as long as the program takes to answer. */
  readonly ask: <Q, R>(call: Call<Q, R>, request: Q) => Effect.Effect<R, BenchFailed>
}

/** Something a program can be asked for. Messages are plain values and typed arrays. */
export interface Call<Q, R> {
  readonly request: Schema.Codec<Q>
  readonly reply: Schema.Codec<R>
}

/** @param file its path from this directory */
export const start = Effect.fnUntraced(function*(file: string): Effect.fn.Return<Program, never, Scope.Scope> {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(Path.join(import.meta.dirname, file), { serialization: "advanced", stdio: ["ignore", 2, 2, "ipc"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  let asked = 0
  return {
    pid: child.pid ?? 0,
    ask: (call, request) => Effect.flatMap(exchange(child, file, ++asked, request), decode(call.reply))
  }
})

const decode = <R>(reply: Schema.Codec<R>) => (answer: unknown) =>
  Schema.decodeUnknownEffect(reply)(answer).pipe(
    Effect.mapError((error) => new BenchFailed({ message: `an answer can't be read: ${error.message}` }))
  )

const exchange = (child: ChildProcess, file: string, number: number, request: unknown) =>
  Effect.callback<unknown, BenchFailed>((resume) => {
    const stop = () => {
      child.off("message", hear)
      child.off("exit", ended)
    }
    const hear = (message: unknown) => {
      const answer = Schema.decodeUnknownSync(Answer)(message)
      if (answer.number !== number) return
      stop()
      resume(
        answer.failure === undefined
          ? Effect.succeed(answer.reply)
          : Effect.fail(new BenchFailed({ message: `${file}: ${answer.failure}` }))
      )
    }
    const ended = (code: number | null, signal: string | null) => {
      stop()
      resume(Effect.fail(new BenchFailed({ message: `${file} ended (${code ?? signal})` })))
    }
    if (!child.connected) return ended(child.exitCode, child.signalCode)
    child.on("message", hear)
    child.on("exit", ended)
    child.send({ number, request })
    return Effect.sync(stop)
  })

/** In the program's own process: answers what it is asked for, until the run's process is gone. */
export const serve = <Q, R>(call: Call<Q, R>, handle: (request: Q) => Promise<R>): void => {
  const answer = async (message: unknown) => {
    const question = Schema.decodeUnknownSync(Question)(message)
    const outcome = await Promise.resolve(question.request)
      .then(Schema.decodeUnknownSync(call.request))
      .then(handle)
      .then((reply) => ({ reply }), (cause: unknown) => ({ failure: String(cause) }))
    process.send?.({ number: question.number, ...outcome })
  }
  process.on("message", (message) => void answer(message))
  process.on("disconnect", () => process.exit())
}
