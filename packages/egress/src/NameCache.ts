interface Entry<A> {
  readonly value: A
  readonly expiresAt: number
}

/** Findings about names, each kept for its own time. Beyond `most` of them, the one used longest ago goes. */
export class NameCache<A> {
  private readonly entries = new Map<string, Entry<A>>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  get size(): number {
    return this.entries.size
  }

  get(name: string, now: number): A | undefined {
    const entry = this.entries.get(name)
    if (entry === undefined) return undefined
    this.entries.delete(name)
    if (entry.expiresAt <= now) return undefined
    this.entries.set(name, entry)
    return entry.value
  }

  put(name: string, value: A, expiresAt: number): void {
    this.entries.delete(name)
    this.entries.set(name, { value, expiresAt })
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.most) break
      this.entries.delete(oldest)
    }
  }
}
