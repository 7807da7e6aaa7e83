import { Context, Effect } from "effect"

/** Work in small steps: it may be left after each of them, and goes on with the next. */
export type Steps<A> = Iterator<unknown, A, unknown>

/** The time that one account's work has the thread in a turn, in milliseconds. */
const turnMs = 1.5

/** While others are there too, the account's work rests for so many times as long after each such turn. */
const restShare = 3

/** An account counts as present for so many milliseconds after it asked for something. */
const presentMs = 1_000

interface Job {
  /** Works until the time is up; answers whether it is done. */
  readonly goOn: (isTimeUp: () => boolean) => boolean
}

/** The clock and the timer of turns. */
export interface ThreadTime {
  /** Milliseconds from any beginning. */
  readonly now: () => number
  /** Calls back once all other work has had its turn and so many milliseconds have passed. */
  readonly later: (callback: () => void, ms: number) => void
}

const thread: ThreadTime = {
  now: () => performance.now(),
  later: (callback, ms) => void (ms === 0 ? setImmediate(callback) : setTimeout(callback, ms))
}

/**
 * Turns by account on a thread, for work that grows with what an account sends. Work that takes no longer than a turn
 * is done at once. The rest of longer work is done a turn at a time: accounts take turns, and one account's work is
 * done in order, as much of it in a turn as there is time for. In between, the thread has time for everything else, and much of it while there are other accounts.
 */
export class AccountTurns {
  readonly #time: ThreadTime
  /** The unfinished jobs of each account, in order; none while an account only rests from its work. */
  readonly #jobs = new Map<string, Array<Job>>()
  /** Accounts whose work does not rest, in the order of their turns. */
  readonly #ready = new Set<string>()
  /** Milliseconds of work for an account outside of its turns, from which it has not rested yet. */
  readonly #owed = new Map<string, number>()
  #isDue = false
  /** The account that asked last, and the last other one. */
  #latest = { accountId: "", at: -Infinity }
  #other = { accountId: "", at: -Infinity }

  constructor(time: ThreadTime = thread) {
    this.#time = time
  }

  /** Notes that an account asks for something. */
  note(accountId: string): void {
    if (accountId !== this.#latest.accountId) this.#other = this.#latest
    this.#latest = { accountId, at: this.#time.now() }
  }

  /** Does work, and calls back when it is done: before this returns if it took no longer than a turn. */
  start<A>(accountId: string, steps: Steps<A>, onDone: (result: A) => void, onError: (error: unknown) => void): void {
    const goOn = (isTimeUp: () => boolean): boolean => {
      try {
        do {
          const step = steps.next()
          if (step.done === true) {
            onDone(step.value)
            return true
          }
        } while (!isTimeUp())
        return false
      } catch (error) {
        onError(error)
        return true
      }
    }
    if (!this.#jobs.has(accountId) && goOn(this.#untilTimeIsUp())) return
    const jobs = this.#jobs.get(accountId)
    if (jobs !== undefined) return void jobs.push({ goOn })
    this.#jobs.set(accountId, [{ goOn }])
    this.#rest(accountId, this.#restAfter(accountId, turnMs))
  }

  /** Does work, and returns when it is done. */
  work<A>(accountId: string, steps: Steps<A>): Effect.Effect<A> {
    return Effect.callback((resume) => {
      this.start(
        accountId,
        steps,
        (result) => resume(Effect.succeed(result)),
        (error) => resume(Effect.die(error))
      )
    })
  }

  /** The thread works so many milliseconds for an account all at once: its turns wait until it has rested from that. */
  charge(accountId: string, ms: number): void {
    this.#owed.set(accountId, (this.#owed.get(accountId) ?? 0) + ms)
    if (this.#jobs.has(accountId)) return
    this.#jobs.set(accountId, [])
    this.#rest(accountId, this.#restAfter(accountId, 0))
  }

  /** The milliseconds that an account's work rests for others' sake after so many of it; 0 while it is alone. */
  restOf(accountId: string, ms: number): number {
    const since = this.#time.now() - presentMs
    const isAlone = [this.#latest, this.#other].every((heard) => heard.accountId === accountId || heard.at < since)
    return isAlone ? 0 : ms * restShare
  }

  #restAfter(accountId: string, ms: number): number {
    const owed = this.#owed.get(accountId) ?? 0
    this.#owed.delete(accountId)
    return this.restOf(accountId, ms + owed)
  }

  #untilTimeIsUp(): () => boolean {
    const end = this.#time.now() + turnMs
    return () => this.#time.now() >= end
  }

  /** An account rests on its own: others do not wait for it. */
  #rest(accountId: string, ms: number): void {
    this.#time.later(() => {
      const owedMs = this.#restAfter(accountId, 0)
      if (owedMs > 0) return this.#rest(accountId, owedMs)
      if (this.#jobs.get(accountId)?.length === 0) return void this.#jobs.delete(accountId)
      this.#ready.add(accountId)
      this.#come(0)
    }, ms)
  }

  #come(ms: number): void {
    if (this.#isDue) return
    this.#isDue = true
    this.#time.later(() => {
      this.#isDue = false
      this.#takeTurn()
    }, ms)
  }

  #takeTurn(): void {
    const [accountId] = this.#ready
    if (accountId === undefined) return
    this.#ready.delete(accountId)
    const jobs = this.#jobs.get(accountId)!
    const from = this.#time.now()
    const isTimeUp = this.#untilTimeIsUp()
    while (jobs.length > 0 && jobs[0]!.goOn(isTimeUp)) {
      jobs.shift()
      if (isTimeUp()) break
    }
    const restMs = this.#restAfter(accountId, this.#time.now() - from)
    if (jobs.length === 0 && restMs === 0) this.#jobs.delete(accountId)
    else this.#rest(accountId, restMs)
    // A pause as long as a turn leaves time for work that is done at once, however many accounts have work waiting.
    if (this.#ready.size > 0) this.#come(restMs === 0 ? 0 : turnMs)
  }
}

/** The turns on this process's thread. There is one thread, so there is one of these unless a test makes its own. */
export const Turns = Context.Reference<AccountTurns>("@headwater/domain/Turns", {
  defaultValue: () => new AccountTurns()
})
