/** One account's waiting items. */
interface Line<A> {
  readonly items: Array<A>
  /** The amount it may still take in this turn. Below zero, it has taken more than its share and lets turns pass. */
  credit: number
}

const noAccounts = new Set<string>()

/**
 * Items that wait for something scarce, in a line for each account. Accounts take turns, each for about the same
 * amount, whatever they have waiting: a few large items count as many small ones. An account's own items keep their
 * order.
 */
export class AccountLines<A> {
  readonly #lines = new Map<string, Line<A>>()
  readonly #turn: number
  readonly #costOf: (item: A) => number
  #size = 0

  /**
   * @param turn the amount that an account takes in a turn
   * @param costOf the amount that an item takes, in the same unit
   */
  constructor(turn: number, costOf: (item: A) => number) {
    this.#turn = turn
    this.#costOf = costOf
  }

  get size(): number {
    return this.#size
  }

  /** The number of accounts that have items waiting. */
  get accounts(): number {
    return this.#lines.size
  }

  put(accountId: string, item: A): void {
    const line = this.#lines.get(accountId)
    if (line === undefined) this.#lines.set(accountId, { items: [item], credit: this.#turn })
    else line.items.push(item)
    this.#size += 1
  }

  /** Puts an item back that was taken, before all others of its account. Other accounts have their turn before it. */
  putFirst(accountId: string, item: A): void {
    const line = this.#lines.get(accountId)
    if (line === undefined) return this.put(accountId, item)
    line.items.unshift(item)
    this.#size += 1
  }

  /**
   * Takes the next item of the account whose turn it is.
   *
   * @param resting accounts that are passed by
   */
  take(resting: Pick<ReadonlySet<string>, "has"> = noAccounts): A | undefined {
    while (true) {
      const first = this.#firstBut(resting)
      if (first === undefined) return undefined
      const [accountId, line] = first
      if (line.credit > 0 || this.#lines.size === 1) return this.#takeOf(accountId, line)
      line.credit += this.#turn
      this.#lines.delete(accountId)
      this.#lines.set(accountId, line)
    }
  }

  #firstBut(resting: Pick<ReadonlySet<string>, "has">): readonly [accountId: string, line: Line<A>] | undefined {
    for (const entry of this.#lines) if (!resting.has(entry[0])) return entry
    return undefined
  }

  #takeOf(accountId: string, line: Line<A>): A {
    const item = line.items.shift()!
    this.#size -= 1
    // An account alone in line owes nobody anything.
    if (line.credit > 0) line.credit -= this.#costOf(item)
    if (line.items.length === 0) this.#lines.delete(accountId)
    return item
  }
}
