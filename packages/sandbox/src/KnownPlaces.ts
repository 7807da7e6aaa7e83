import { Effect } from "effect"
import * as SourcePlaces from "./SourcePlaces.ts"

const mostKnown = 8

/** Of their maps together, in characters, beside the newest: read, a map takes many times as much. */
const mostCharacters = 4 * 1024 * 1024

interface Known {
  readonly places: SourcePlaces.SourcePlaces
  readonly characters: number
}

/** Places of the modules that failed of late: to read a large map takes longer than a run. */
export class KnownPlaces {
  readonly #byHash = new Map<string, Known>()

  /** Of the module of a hash; none where its source map can't be had. */
  of(
    hash: string,
    map: Effect.Effect<string | undefined>
  ): Effect.Effect<SourcePlaces.SourcePlaces | undefined> {
    return Effect.suspend(() => {
      const known = this.#byHash.get(hash)
      return known === undefined
        ? Effect.map(map, (text) => text === undefined ? undefined : this.#keep(hash, read(text)))
        : Effect.succeed(this.#keep(hash, known))
    })
  }

  #keep(hash: string, known: Known): SourcePlaces.SourcePlaces {
    this.#byHash.delete(hash)
    this.#byHash.set(hash, known)
    let characters = 0
    for (const each of this.#byHash.values()) characters += each.characters
    for (const [oldest, each] of this.#byHash) {
      const isWithin = this.#byHash.size <= mostKnown && characters <= mostCharacters
      if (isWithin || this.#byHash.size === 1) break
      this.#byHash.delete(oldest)
      characters -= each.characters
    }
    return known.places
  }
}

const read = (map: string): Known => ({
  places: SourcePlaces.make(map, SourcePlaces.start),
  characters: map.length
})
