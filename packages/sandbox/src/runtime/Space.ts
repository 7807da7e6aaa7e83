/** The space of a file system, which files that are gone give back when it is needed. */
export class Space {
  readonly maxBytes: number
  #used = 0
  readonly #measure: () => number

  constructor(maxBytes: number, measure: () => number) {
    this.maxBytes = maxBytes
    this.#measure = measure
  }

  get used(): number {
    return this.#used = this.#measure()
  }

  /** Answers false if there is not so much left. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.maxBytes && this.used + bytes > this.maxBytes) return false
    this.#used += bytes
    return true
  }
}
