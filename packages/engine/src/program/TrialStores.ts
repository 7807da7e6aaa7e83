import type {
  DataStoreChanges,
  DataStoreEntry,
  DataStorePage,
  DataStoreReads,
  EntryChange
} from "@headwater/domain/DataStore"
import { Effect } from "effect"

/** The changes of the trial to a data store: its entries by key, with null for those that it removed. */
interface Changed {
  isCleared: boolean
  readonly entries: Map<string, DataStoreEntry | null>
}

/** The data stores of a trial: what is committed, and over it what the runs of the trial have changed. */
export class TrialStores implements DataStoreReads {
  private readonly changed = new Map<string, Changed>()
  private readonly committed: DataStoreReads

  constructor(committed: DataStoreReads) {
    this.committed = committed
  }

  readonly entry: DataStoreReads["entry"] = (storeId, key) => {
    const changed = this.changed.get(storeId)
    const own = changed?.entries.get(key)
    return own === undefined && changed?.isCleared !== true
      ? this.committed.entry(storeId, key)
      : Effect.succeed(own ?? undefined)
  }

  readonly entries: DataStoreReads["entries"] = (storeId, after, hasValues) => {
    const changed = this.changed.get(storeId)
    if (changed === undefined) return this.committed.entries(storeId, after, hasValues)
    const own = [...changed.entries.values()].filter((entry) => entry !== null)
    if (changed.isCleared) return Effect.succeed({ entries: own, isLast: true })
    return Effect.flatMap(this.committed.entries(storeId, after, hasValues), (page): Effect.Effect<DataStorePage> => {
      const others = page.entries.filter(({ key }) => !changed.entries.has(key))
      if (page.isLast) return Effect.succeed({ entries: [...others, ...own], isLast: true })
      return others.length > 0
        ? Effect.succeed({ entries: others, isLast: false })
        : this.entries(storeId, page.entries.at(-1)!.key, hasValues)
    })
  }

  readonly size: DataStoreReads["size"] = (storeId) => {
    if (!this.changed.has(storeId)) return this.committed.size(storeId)
    const behind = (after: string | null): Effect.Effect<number> =>
      Effect.flatMap(this.entries(storeId, after, false), ({ entries, isLast }) =>
        isLast
          ? Effect.succeed(entries.length)
          : Effect.map(behind(entries.at(-1)!.key), (more) => entries.length + more))
    return behind(null)
  }

  /** Notes what a run would have changed. */
  take(stores: ReadonlyArray<DataStoreChanges>): Effect.Effect<void> {
    return Effect.forEach(stores, ({ changes, cleared, storeId }) => {
      const changed = this.changed.get(storeId) ??
        { isCleared: false, entries: new Map<string, DataStoreEntry | null>() }
      this.changed.set(storeId, changed)
      if (cleared) {
        changed.isCleared = true
        changed.entries.clear()
      }
      return Effect.forEach(
        changes,
        (change) => Effect.map(this.changedBy(storeId, change), (entry) => void changed.entries.set(change.key, entry)),
        { discard: true }
      )
    }, { discard: true })
  }

  private changedBy(storeId: string, change: EntryChange): Effect.Effect<DataStoreEntry | null> {
    const { key } = change
    // A trial is over before anything expires.
    if (change._tag === "Set") return Effect.succeed({ key, value: change.value, expiresAt: null })
    if (change._tag === "Remove") return Effect.succeed(null)
    return Effect.map(this.entry(storeId, key), (before) => {
      if (change._tag === "Expire") return before ?? null
      return { key, value: JSON.stringify(Number(before?.value ?? 0) + change.by), expiresAt: null }
    })
  }
}
