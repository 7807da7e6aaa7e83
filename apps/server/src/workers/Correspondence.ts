import { Deferred, Effect, Exit, Schema, type Scope } from "effect"

/** The other side has gone, or does not understand the question. */
export class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { message: Schema.String }) {}

/** The questions of one side, each with its input and its answer. Both are values of JSON. */
export type Questions = Readonly<Record<string, readonly [given: unknown, answer: unknown]>>

export type Answers<Q extends Questions> = {
  readonly [K in keyof Q]: (given: Q[K][0]) => Effect.Effect<Q[K][1]>
}

export interface Correspondence<Q extends Questions> {
  readonly ask: <K extends keyof Q & string>(question: K, given: Q[K][0]) => Effect.Effect<Q[K][1], Unanswered>
}

type Message =
  | { readonly question: string; readonly id: number; readonly given: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly refused: number; readonly why: string }

/** One end of the channel between a process and its child, as `node:child_process` opens it. */
export interface Port {
  readonly send: (message: Message) => void
  readonly onMessage: (listener: (message: Message) => void) => void
  readonly onClose: (listener: () => void) => void
}

/** A process or a child, as far as its channel goes. */
interface Channel {
  readonly connected: boolean
  send?(message: unknown, then: (error: Error | null) => void): boolean
  on(event: "message", listener: (message: Message) => void): unknown
  on(event: "disconnect", listener: () => void): unknown
}

export const portOf = (channel: Channel): Port => ({
  send: (message) => {
    // If the other side has just gone, `disconnect` says so.
    if (channel.connected) channel.send?.(message, () => {})
  },
  onMessage: (listener) => void channel.on("message", listener),
  onClose: (listener) => void channel.on("disconnect", listener)
})

/** Asks the other side and answers it, until the scope closes. */
export const make = <Theirs extends Questions, Ours extends Questions>(
  port: Port,
  answers: Answers<Ours>
): Effect.Effect<Correspondence<Theirs>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const scope = yield* Effect.scope
    const asked = new Map<number, Deferred.Deferred<unknown, Unanswered>>()
    let isClosed = false
    let lastId = 0

    const close = () => {
      isClosed = true
      for (const waiting of asked.values()) Deferred.doneUnsafe(waiting, Effect.fail(gone))
      asked.clear()
    }

    const answer = (id: number, question: string, given: unknown) =>
      Effect.suspend(() => answers[question]?.(given) ?? Effect.die(new Error(`Nobody answers ${question}`))).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() =>
            port.send(
              Exit.isSuccess(exit)
                ? { answer: id, value: exit.value }
                : { refused: id, why: `${question}: ${String(exit.cause)}` }
            )
          )
        ),
        Effect.ignoreCause
      )

    const end = (id: number, effect: Effect.Effect<unknown, Unanswered>) => {
      const waiting = asked.get(id)
      asked.delete(id)
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, effect)
    }

    port.onClose(close)
    port.onMessage((message) => {
      if ("question" in message) {
        Effect.runForkWith(context)(Effect.forkIn(answer(message.id, message.question, message.given), scope))
      } else if ("answer" in message) end(message.answer, Effect.succeed(message.value))
      else end(message.refused, Effect.fail(new Unanswered({ message: message.why })))
    })
    yield* Effect.addFinalizer(() => Effect.sync(close))

    return {
      ask: (question, given) =>
        Effect.suspend(() => {
          if (isClosed) return Effect.fail(gone)
          const id = ++lastId
          const waiting = Deferred.makeUnsafe<unknown, Unanswered>()
          asked.set(id, waiting)
          port.send({ question, id, given })
          return Effect.ensuring(Deferred.await(waiting), Effect.sync(() => asked.delete(id)))
        })
    }
  })

const gone = new Unanswered({ message: "The other process has gone" })
