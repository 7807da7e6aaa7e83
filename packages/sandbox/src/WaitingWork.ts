import type { Language } from "./Language.ts"
import type { Work } from "./SandboxPool.ts"

/** What distinguishes the queues. */
type Kind = Pick<Work, "accountId" | "isolation" | "language">

/**
 * The work that waits for a process, by when it came. Work waits in turn with its like: an account's ordinary runs don't
 * wait behind one that needs a process to itself.
 */
export class WaitingWork {
  /** By queue, with when it began to wait. */
  readonly #queues = new Map<string, Map<Work, number>>()
  readonly #counts: Record<Language, number> = { javascript: 0, python: 0 }

  static nameOf({ accountId, isolation, language }: Kind): string {
    return `${language} ${isolation} ${accountId}`
  }

  get count(): number {
    return this.#counts.javascript + this.#counts.python
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
  of(kind: Kind): Iterable<Work> {
    return this.#queues.get(WaitingWork.nameOf(kind))?.keys() ?? []
  }

  /** The amount that waits for a process of a language. */
  countOf(language: Language): number {
    return this.#counts[language]
  }

  add(work: Work, now: number): void {
    const name = WaitingWork.nameOf(work)
    this.#queues.set(name, (this.#queues.get(name) ?? new Map()).set(work, now))
    this.#counts[work.language]++
  }

  delete(work: Work): void {
    const name = WaitingWork.nameOf(work)
    const queue = this.#queues.get(name)
    if (queue?.delete(work) !== true) return
    this.#counts[work.language]--
    if (queue.size === 0) this.#queues.delete(name)
  }

  /** Takes all, or all for one language. */
  takeAll(language?: Language): ReadonlyArray<Work> {
    const all = [...this.#queues.values()].flatMap((queue) => [...queue.keys()])
      .filter((work) => language === undefined || work.language === language)
    for (const work of all) this.delete(work)
    return all
  }
}
