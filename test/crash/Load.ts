import { Effect } from "effect"
import { acknowledged, type Client } from "./Client.ts"
import * as Dice from "./Dice.ts"
import type { Findings } from "./Findings.ts"
import { keyOf, type Requests } from "./Requests.ts"
import type { Asked } from "./RunCheck.ts"
import type { StandingProgram } from "./Topology.ts"

/** Whether those who make work are to go on. */
export interface Gate {
  readonly isOpen: () => boolean
  readonly open: () => void
  readonly close: () => void
}

export const gate = (): Gate => {
  let open = true
  return {
    isOpen: () => open,
    open: () => {
      open = true
    },
    close: () => {
      open = false
    }
  }
}

/** How long a sender whose request failed leaves the server alone. */
const pause = "20 millis"

/** What a sender asks of the source that it has chosen. */
const ask = (dice: Dice.Dice, { name }: StandingProgram, key: string): Asked => {
  switch (name) {
    case "first":
    case "second":
      return {
        key,
        ...(dice.chance(0.05) ? { fail: true } : {}),
        ...(dice.chance(0.1) ? { later: dice.between(100, 2_000) } : {})
      }
    case "unique":
      return { key, id: `id-${dice.between(1, 1_000)}` }
    default:
      return { key }
  }
}

/** One sender: a request after the other, each once, whatever becomes of it. */
const sender = Effect.fnUntraced(function*(name: string, dice: Dice.Dice, options: LoadOptions) {
  const { client, findings, gate, requests, thinkMs, underWay } = options
  const targets = options.programs.filter(({ endpoint }) => endpoint !== undefined)
  for (let count = 1; true; count++) {
    while (!gate.isOpen()) yield* Effect.sleep(pause)
    const source = dice.pick(targets)
    const key = keyOf(name, count)
    requests.sent(source.id, name, count)
    underWay.add(key)
    const answer = yield* client.post(source.endpoint!, ask(dice, source, key))
    underWay.delete(key)
    if (acknowledged(answer)) {
      requests.acknowledged(key)
      if (source.name === "answering" && String(answer.json["key"]) !== key) {
        findings.note("torn", "a request was answered with the answer to another", { key, answer })
      }
    } else {
      yield* Effect.sleep(pause)
    }
    yield* Effect.sleep(dice.between(0, thinkMs))
  }
})

export interface LoadOptions {
  readonly client: Client
  readonly findings: Findings
  readonly requests: Requests
  readonly programs: ReadonlyArray<StandingProgram>
  readonly gate: Gate
  /** How long each sender waits between two requests, at most. */
  readonly thinkMs: number
  /** Requests that are not answered yet. */
  readonly underWay: Set<string>
}

/** Sends requests to the standing programs with an endpoint from so many senders, for ever. */
export const run = (seed: number, senders: number, options: LoadOptions): Effect.Effect<never> =>
  Effect.forEach(
    Array.from({ length: senders }, (_, i) => `s${i}`),
    (name) => sender(name, Dice.make(seed, `sender ${name}`), options),
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.andThen(Effect.never))
