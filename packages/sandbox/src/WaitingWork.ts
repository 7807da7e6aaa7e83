import type { ProcessKind } from "./ProcessKind.ts"
import type { Work } from "./SandboxPool.ts"

/** The properties by which queues differ. */
type Queue = Pick<Work, "accountId" | "isolation" | "kind">

/**
 * The work that waits for a process, by when it came. Work waits in turn with its like: an account's ordinary runs don't
 * wait behind one that needs a process to itself.
 */
export class WaitingWork {
  /** By queue, with when it began to wait. */
  readonly #queues = new Map<string, Map<Work, number>>()
  readonly #counts = new Map<ProcessKind, number>()
  #count = 0

  static nameOf({ accountId, isolation, kind: { heapMebibytes, language } }: Queue): string {
    return `${language} ${heapMebibytes} ${isolation} ${accountId}`
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
  of(queue: Queue): Iterable<Work> {
    return this.#queues.get(WaitingWork.nameOf(queue))?.keys() ?? []
  }

  /** The amount that waits for a process of a kind. */
  countOf(kind: ProcessKind): number {
    return this.#counts.get(kind) ?? 0
  }

  add(work: Work, now: number): void {
    const name = WaitingWork.nameOf(work)
    this.#queues.set(name, (this.#queues.get(name) ?? new Map()).set(work, now))
    this.#add(work.kind, 1)
  }

  delete(work: Work): void {
    const name = WaitingWork.nameOf(work)
    const queue = this.#queues.get(name)
    if (queue?.delete(work) !== true) return
    this.#add(work.kind, -1)
    if (queue.size === 0) this.#queues.delete(name)
  }

  /** Takes all that waits for processes of these kinds. */
  takeAll(kinds: ReadonlyArray<ProcessKind>): ReadonlyArray<Work> {
    const all = [...this.#queues.values()].flatMap((queue) => [...queue.keys()])
      .filter((work) => kinds.includes(work.kind))
    for (const work of all) this.delete(work)
    return all
  }

  #add(kind: ProcessKind, count: number): void {
    this.#count += count
    this.#counts.set(kind, this.countOf(kind) + count)
  }
}
