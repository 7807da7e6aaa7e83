import type { Work } from "./SandboxPool.ts"

/**
 * The work that waits for a process, by when it came. Work waits in turn with its like: an account's ordinary runs don't
 * wait behind one that needs a process to itself.
 */
export class WaitingWork {
  /** By queue, with when it began to wait. */
  readonly #queues = new Map<string, Map<Work, number>>()
  #count = 0

  static nameOf({ accountId, isolation }: Pick<Work, "accountId" | "isolation">): string {
    return `${isolation} ${accountId}`
  }

  get count(): number {
    return this.#count
  }

  /** The queues by name, each with its work and since when that waits, in Unix milliseconds. */
  get queues(): ReadonlyMap<string, ReadonlyMap<Work, number>> {
    return this.#queues
  }

  /** True if work like it waits. */
  hasLike(work: Work): boolean {
    return this.#queues.has(WaitingWork.nameOf(work))
  }

  /** In the order in which it waits. */
  of(isolation: Work["isolation"], accountId: string): Iterable<Work> {
    return this.#queues.get(WaitingWork.nameOf({ accountId, isolation }))?.keys() ?? []
  }

  add(work: Work, now: number): void {
    const name = WaitingWork.nameOf(work)
    this.#queues.set(name, (this.#queues.get(name) ?? new Map()).set(work, now))
    this.#count++
  }

  delete(work: Work): void {
    const name = WaitingWork.nameOf(work)
    const queue = this.#queues.get(name)
    if (queue?.delete(work) !== true) return
    this.#count--
    if (queue.size === 0) this.#queues.delete(name)
  }

  takeAll(): ReadonlyArray<Work> {
    const all = [...this.#queues.values()].flatMap((queue) => [...queue.keys()])
    this.#queues.clear()
    this.#count = 0
    return all
  }
}
