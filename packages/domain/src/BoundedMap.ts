/**
 * A map of so many entries at most: a further one takes the place of the one that came first. One iterator goes through the
 * keys as they leave: a fresh one would pass by all that have left since the map was last built anew.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number
  readonly #leaving: MapIterator<Key>

  constructor(most: number) {
    super()
    this.#most = most
    this.#leaving = this.keys()
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.#leaving.next().value!)
    return super.set(key, value)
  }
}

/** A set of so many members at most: a further one takes the place of the one that came first. */
export class BoundedSet<Member> extends Set<Member> {
  readonly #most: number
  readonly #leaving: SetIterator<Member>

  constructor(most: number) {
    super()
    this.#most = most
    this.#leaving = this.values()
  }

  override add(member: Member): this {
    if (this.size >= this.#most && !this.has(member)) this.delete(this.#leaving.next().value!)
    return super.add(member)
  }
}
