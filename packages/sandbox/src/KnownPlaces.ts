import * as SourcePlaces from "./SourcePlaces.ts"

const mostKnown = 8

/** Places of the modules that failed of late: to read a large map takes longer than a run. */
export class KnownPlaces {
  readonly #byHash = new Map<string, SourcePlaces.SourcePlaces>()

  /** Of the module of a hash, whose source map this is, as JSON. */
  of(hash: string, map: string): SourcePlaces.SourcePlaces {
    const places = this.#byHash.get(hash) ?? SourcePlaces.make(map, SourcePlaces.start)
    this.#byHash.delete(hash)
    this.#byHash.set(hash, places)
    for (const oldest of this.#byHash.keys()) {
      if (this.#byHash.size <= mostKnown) break
      this.#byHash.delete(oldest)
    }
    return places
  }
}
