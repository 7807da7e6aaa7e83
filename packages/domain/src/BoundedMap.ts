/** A map of so many entries at most: a further one takes the place of the one that came first. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.keys().next().value!)
    return super.set(key, value)
  }
}

/** A set of so many members at most: a further one takes the place of the one that came first. */
export class BoundedSet<Member> extends Set<Member> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override add(member: Member): this {
    if (this.size >= this.#most && !this.has(member)) this.delete(this.values().next().value!)
    return super.add(member)
  }
}
