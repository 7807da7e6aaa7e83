/** What a list that is read again and again has that is new. */
import { createHash } from "node:crypto"

const hashLength = 12

/** What an id takes in `$.service.db`. */
export const bytesPerId = hashLength + 3

const hashOf = (id) => createHash("sha256").update(id).digest("base64url").slice(0, hashLength)

/** Ids of items that were seen, as hashes; of more than `max` those that were seen last. */
export class SeenIds {
  #hashes
  #max

  /** @param saved what an earlier one was as JSON */
  constructor(saved, max) {
    this.#hashes = new Set(saved)
    this.#max = max
  }

  has(id) {
    return this.#hashes.has(hashOf(id))
  }

  /** Notes that an id is there, or still there. */
  add(id) {
    const hash = hashOf(id)
    this.#hashes.delete(hash)
    this.#hashes.add(hash)
  }

  toJSON() {
    return [...this.#hashes].slice(-this.#max)
  }
}

/** Less than a run may emit and log, so that one with a lot to emit leaves the rest to the next. */
export const maxOutputBytes = 5 * 1024 * 1024

/** How much a run has emitted. */
export class Output {
  #bytes = 0

  /** Whether an event may still be emitted, as the first always may; if so, it counts as emitted. */
  takes(event) {
    const bytes = this.#bytes + Buffer.byteLength(JSON.stringify(event))
    if (this.#bytes > 0 && bytes > maxOutputBytes) return false
    this.#bytes = bytes
    return true
  }
}
