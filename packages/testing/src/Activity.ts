import { Scheduler } from "effect"

/** The thread has done its work after so many turns in a row with nothing under way. */
const calmTurns = 2

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/**
 * The work that an engine has under way: questions to the database, runs in sandboxes, requests to others,
 * cryptography, and tasks of its own thread. Without any, it waits for time to pass, or for a request.
 */
export class Activity {
  private readonly underWay = new Map<string, number>()
  private total = 0
  private tasks = 0
  private onRest: (() => void) | undefined

  /** Something begins; call what this answers when it is over. */
  begin(what: string): () => void {
    this.underWay.set(what, (this.underWay.get(what) ?? 0) + 1)
    this.total += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.underWay.set(what, this.underWay.get(what)! - 1)
      this.total -= 1
      if (this.total === 0) this.onRest?.()
    }
  }

  /** The work under way, for people. */
  get description(): string {
    const counts = [...this.underWay].filter(([, count]) => count > 0)
    return counts.map(([what, count]) => `${what} (${count})`).join(", ")
  }

  /** Returns when nothing is under way. */
  async rest(): Promise<void> {
    let calm = 0
    while (calm < calmTurns) {
      if (this.total > 0) {
        await new Promise<void>((resolve) => {
          this.onRest = resolve
        })
        this.onRest = undefined
      }
      await turn()
      calm = this.total === 0 && this.tasks === 0 ? calm + 1 : 0
    }
  }

  /** Runs fibers and counts what of them is to go on. */
  readonly scheduler = new Scheduler.MixedScheduler("async", (run) => {
    this.tasks += 1
    const immediate = setImmediate(() => {
      this.tasks -= 1
      run()
    })
    return () => {
      this.tasks -= 1
      clearImmediate(immediate)
    }
  })

  /** The same object, of whose methods each call is under way until its promise is settled. */
  counted<A extends object>(what: string, inner: A): A {
    return new Proxy(inner, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function") return member
        return (...values: ReadonlyArray<unknown>): unknown => {
          const answer: unknown = Reflect.apply(member, target, values)
          if (answer instanceof Promise) void answer.finally(this.begin(what)).catch(() => {})
          return answer
        }
      }
    })
  }
}
