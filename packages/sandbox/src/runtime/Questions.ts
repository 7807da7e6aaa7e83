/** Questions to the host, and its answers. */
import { send } from "./Channel.ts"
import { current, type RunContext } from "./RunContext.ts"

export interface Answer {
  readonly ticket?: string
  readonly addresses?: ReadonlyArray<string>
  readonly answer?: unknown
  readonly error?: { readonly code: string; readonly message: string }
}

const asked = { __proto__: null } as unknown as Record<number, (answer: Answer) => void>
let lastAsk = 0

export const onAnswer = (message: Record<string, unknown>): void => {
  const ask = message["ask"] as number
  asked[ask]?.(message as Answer)
  delete asked[ask]
}

/** Asks in the name of a run: unless it is given, of the one that the code belongs to which executes now. */
export const ask = (question: { readonly _tag: string }, run = current()?.id ?? ""): Promise<Answer> =>
  new Promise((resolve) => {
    const id = ++lastAsk
    asked[id] = resolve
    send({ __proto__: null, ...question, ask: id, run })
  })

/** The last question of each run: they come one after the other. */
const last = new WeakMap<RunContext, Promise<unknown>>()

/** Asks about what a run has at the host, once what it asked before is answered. */
export const askIn = (
  run: RunContext,
  question: Readonly<Record<string, unknown>> & { readonly _tag: string }
): Promise<unknown> => {
  const asking = (last.get(run) ?? Promise.resolve()).then(async () => {
    const { answer, error } = await ask(question, run.id)
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code })
    return answer
  })
  last.set(run, asking.catch(() => {}))
  return asking
}
