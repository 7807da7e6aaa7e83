/** What items go by that have no id of their own. */

/** Which of its ids each item of a list goes by: the first that no other item has, now or at any time before. */
export class ItemIds {
  #owners = new Map()
  #seen

  /**
   * @param items each with `ids`, of which the last is its own alone, newest first
   * @param seen `SeenIds`
   */
  constructor(items, seen) {
    this.#seen = seen
    for (const { ids } of items) {
      for (const id of ids) this.#owners.set(id, (this.#owners.get(id) ?? new Set()).add(ids.at(-1)))
    }
    for (const [id, owners] of this.#owners) {
      if (owners.size > 1) seen.add(this.#sharedMark(id))
    }
  }

  /** As much as is noted of an item, and of an id that others have too. */
  static marksOf({ ids }) {
    return 2 * ids.length - 1
  }

  #sharedMark(id) {
    return `several have ${id}`
  }

  of({ ids }) {
    return ids.find((id) => !this.#seen.has(this.#sharedMark(id))) ?? ids.at(-1)
  }

  isSeen(item) {
    return this.#seen.has(this.of(item))
  }

  /** Takes for known what was noted when each item went by its first id: of several with the same, the oldest. */
  adopt(items) {
    const adopted = new Set()
    for (const item of items.toReversed()) {
      const [first] = item.ids
      if (this.#seen.has(first) && !adopted.has(first)) this.add(item)
      adopted.add(first)
    }
  }

  /** Notes that an item is there, or still there: under all of its ids, for it may have to go by another. */
  add(item) {
    for (const id of item.ids) {
      this.#seen.add(id)
      if (this.#seen.has(this.#sharedMark(id))) this.#seen.add(this.#sharedMark(id))
    }
  }
}
