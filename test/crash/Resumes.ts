import { Effect } from "effect"
import { acknowledged, type Client } from "./Client.ts"
import type { Findings } from "./Findings.ts"

/** Has suspended runs go on, and follows whether they did so with its request. */
export interface Resumes {
  /** The run that counted so far is suspended. */
  readonly waits: (count: number, url: string) => void
  /** It went on, with this body of a request; undefined where its time was over. */
  readonly told: (count: number, body: unknown) => void
  /** Resumes each run once it is known to wait, for ever. */
  readonly run: (client: Client) => Effect.Effect<never>
}

const pause = "20 millis"

/** The status where it no longer waits. */
const isOver = 404

export const make = (findings: Findings): Resumes => {
  const waiting: Array<{ readonly count: number; readonly url: string }> = []
  /** Runs that were resumed, and those that went on by themselves, as far as the other is not known. */
  const resumed = new Set<number>()
  const timedOut = new Set<number>()

  const lost = (count: number) => findings.note("lost", "a run was resumed and went on without the request", { count })

  const resumeNext = Effect.fnUntraced(function*(client: Client) {
    const next = waiting.shift()
    if (next === undefined) return yield* Effect.sleep(pause)
    const { count, url } = next
    const answer = yield* client.post(url, { count }, [isOver])
    if (acknowledged(answer)) {
      if (timedOut.has(count)) lost(count)
      resumed.add(count)
    } else if (answer.status !== isOver) {
      waiting.push(next)
      yield* Effect.sleep(pause)
    }
  })

  return {
    waits: (count, url) => {
      waiting.push({ count, url })
    },
    told: (count, body) => {
      if (body === undefined) {
        timedOut.add(count)
        if (resumed.has(count)) lost(count)
      } else if (JSON.stringify(body) !== JSON.stringify({ count })) {
        findings.note("torn", "a run went on with the request to another", { count, body })
      }
    },
    run: (client) => Effect.forever(resumeNext(client))
  }
}
