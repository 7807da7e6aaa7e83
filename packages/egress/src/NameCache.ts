import { BoundedMap } from "@headwater/domain/BoundedMap"

interface Entry<A> {
  readonly value: A
  readonly expiresAt: number
}

/** Findings about names, each kept for its own time. Beyond `most` of them, the one used longest ago goes. */
export class NameCache<A> {
  private readonly entries: BoundedMap<string, Entry<A>>

  constructor(most: number) {
    this.entries = new BoundedMap(most)
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
  }
}
