import type { ConfigurableProp, LinkedCode } from "@headwater/domain/Component"
import * as RealTime from "@headwater/domain/RealTime"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import type { ComponentDescription } from "@headwater/sandbox/ComponentDescription"
import { Effect } from "effect"

/** Code as it was read: with what it imports, and what it says that it is. */
export interface CodeRead {
  readonly linked: LinkedCode | null
  readonly description: ComponentDescription
  readonly configurableProps: ReadonlyArray<ConfigurableProp>
  readonly batch: SubscriptionBatch | null
}

const keptMillis = 10 * 60_000

/** The most characters of all code together. Code beyond that is read anew. */
const mostCharacters = 64 * 1024 * 1024

/**
 * Code that was read of late. It is checked first and then saved, as a whole project with all of its workflows: then it
 * is neither linked nor loaded a second time.
 */
export class RecentCode {
  readonly #kept = new Map<string, { readonly code: CodeRead; readonly characters: number; readonly until: number }>()
  #characters = 0

  /** @param key of the account, the code, and all else that it depends on */
  of<E>(key: string, read: Effect.Effect<CodeRead, E>): Effect.Effect<CodeRead, E> {
    return Effect.flatMap(RealTime.currentTimeMillis, (now) => {
      this.#forgetBefore(now)
      const known = this.#kept.get(key)
      return known === undefined
        ? Effect.tap(read, (code) => Effect.sync(() => this.#keep(key, code, now + keptMillis)))
        : Effect.succeed(known.code)
    })
  }

  #forgetBefore(now: number): void {
    for (const [key, { characters, until }] of this.#kept) {
      if (until > now) return
      this.#kept.delete(key)
      this.#characters -= characters
    }
  }

  #keep(key: string, code: CodeRead, until: number): void {
    // Another version of a saved component may have come meanwhile.
    if (code.linked?.components !== undefined || this.#kept.has(key)) return
    const { linked, ...told } = code
    const characters = (linked?.code.length ?? 0) + (linked?.map.length ?? 0) + JSON.stringify(told).length
    if (this.#characters + characters > mostCharacters) return
    this.#characters += characters
    this.#kept.set(key, { code, characters, until })
  }
}
