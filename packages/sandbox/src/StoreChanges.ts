import type { DataStoreChanges, EntryChange } from "@headwater/domain/DataStore"
import * as Storable from "@headwater/domain/Storable"
import type { SandboxLimits } from "./SandboxLimits.ts"

/** The cost of a change beside its text: each is a row that everybody's commit waits for. */
const changeBytes = 128

/** A run may write so many times over what it may leave changed. */
const repeats = 16

const sizeOf = (change: EntryChange): number =>
  changeBytes + Buffer.byteLength(change.key) +
  ("value" in change ? Buffer.byteLength(change.value) : 0) +
  ("expected" in change ? Buffer.byteLength(change.expected ?? "") : 0)

/**
 * A change after another of the same key. Adding to what the run has set itself is setting, so the runtime never says it;
 * neither does it expect anything of a value that is the run's own.
 */
const after = (before: EntryChange, change: EntryChange): EntryChange | undefined => {
  switch (change._tag) {
    case "Set":
    case "Remove": {
      if (before._tag === "Add" || before._tag === "Expire") return change
      const { expected: _expected, ...rest } = change
      return "expected" in before ? { ...rest, expected: before.expected } : rest
    }
    case "Add":
      if (before._tag === "Add") return { ...before, by: before.by + change.by }
      return before._tag === "Expire" ? { ...change, ttl: before.ttl } : undefined
    case "Expire":
      return before._tag === "Remove" ? before : { ...before, ttl: change.ttl }
  }
}

interface Changed {
  cleared: boolean
  readonly changes: Map<string, EntryChange>
}

/** The changes of a run to data stores, one for each key, held against its limits. */
export class StoreChanges {
  readonly #allowed: ReadonlySet<string>
  readonly #limits: SandboxLimits
  readonly #stores = new Map<string, Changed>()
  #bytes = 0
  #writtenBytes = 0

  /** @param storeIds the data stores that the run has */
  constructor(storeIds: ReadonlyArray<string>, limits: SandboxLimits) {
    this.#allowed = new Set(storeIds)
    this.#limits = limits
  }

  get all(): ReadonlyArray<DataStoreChanges> {
    return [...this.#stores].map(([storeId, { changes, cleared }]) => ({
      storeId,
      cleared,
      changes: [...changes.values()]
    }))
  }

  /**
   * Takes in a change, or that all was removed. Answers `output` if that is too much, or the reason why no run of ours says
   * such a thing.
   */
  hear(storeId: string, change: EntryChange | undefined): string | undefined {
    if (!this.#allowed.has(storeId)) return "the run has no such data store"
    const store = this.#stores.get(storeId) ?? { cleared: false, changes: new Map<string, EntryChange>() }
    this.#stores.set(storeId, store)
    return change === undefined ? this.#clear(store) : this.#change(store, change)
  }

  #change(store: Changed, change: EntryChange): string | undefined {
    if (!Storable.isKey(change.key)) return Storable.keyExpected
    if ("value" in change && !Storable.isText(change.value)) return "the value of a data store can't be stored"
    const before = store.changes.get(change.key)
    const next = before === undefined ? change : after(before, change)
    if (next === undefined) return "a number can't be added to what the run has set"
    if (next._tag === "Add" && !Number.isFinite(next.by)) {
      return `the sum for ${JSON.stringify(change.key)} is beyond the range of numbers`
    }
    store.changes.set(change.key, next)
    this.#bytes += sizeOf(next) - (before === undefined ? 0 : sizeOf(before))
    this.#writtenBytes += sizeOf(change)
    const { storeBytes, storeValueBytes } = this.#limits
    const isTooLarge = "value" in next && Buffer.byteLength(next.value) > storeValueBytes
    return isTooLarge || this.#bytes > storeBytes || this.#writtenBytes > storeBytes * repeats ? "output" : undefined
  }

  /** Expectations of values still have to hold. */
  #clear(store: Changed): string | undefined {
    store.cleared = true
    for (const [key, change] of store.changes) {
      this.#bytes -= sizeOf(change)
      const { expected } = "expected" in change ? change : {}
      if (expected === undefined) store.changes.delete(key)
      else {
        const removed = { _tag: "Remove" as const, key, expected }
        store.changes.set(key, removed)
        this.#bytes += sizeOf(removed)
      }
    }
    this.#writtenBytes += changeBytes
    return this.#writtenBytes > this.#limits.storeBytes * repeats ? "output" : undefined
  }
}
