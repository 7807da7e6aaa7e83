import { entryBytes } from "@headwater/domain/RunFile"

/** The space of a directory and of the files in it, which files that are gone give back when it is needed. */
export class Space {
  readonly maxBytes: number
  #used = entryBytes
  readonly #measure: () => number

  /** @param measure answers the bytes of what is in the directory */
  constructor(maxBytes: number, measure: () => number) {
    this.maxBytes = maxBytes
    this.#measure = measure
  }

  get used(): number {
    return this.#used = entryBytes + this.#measure()
  }

  /** Answers false if there is not so much left. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.maxBytes && this.used + bytes > this.maxBytes) return false
    this.#used += bytes
    return true
  }
}
