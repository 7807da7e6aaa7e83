import { BoundedMap } from "@headwater/domain/BoundedMap"
import type { DataStoreChanges } from "@headwater/domain/DataStore"
import type { AccountId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { Context, Effect, Layer, Schema } from "effect"
import { EngineLimits } from "../ground/EngineLimits.ts"

const mebibyte = 1024 * 1024

/** The data stores of the account hold as much as they may. */
export class DataStoresFull extends Schema.TaggedError<DataStoresFull>()("DataStoresFull", {
  bytes: Schema.Int,
  entries: Schema.Int
}) {
  override get message() {
    return "The account's data stores are full: together they may have " +
      `${Math.floor(this.bytes / mebibyte)} MiB (HEADWATER_DATA_STORES) and ${this.entries} entries ` +
      "(HEADWATER_DATA_STORE_ENTRIES). Remove some first."
  }
}

/** The holdings of an account are counted anew after so long, in milliseconds: sooner if they may have become too much. */
const longestTrustMs = 60_000
export const shortestTrustMs = 5_000

const trustedAccounts = 10_000

interface Count {
  readonly bytes: number
  readonly entries: number
}

/** The last count of what an account holds, and what this node has written since. */
interface Standing {
  readonly counted: Count
  countedAt: number
  since: Count
}

const plus = (one: Count, other: Count): Count => ({
  bytes: one.bytes + other.bytes,
  entries: one.entries + other.entries
})

/** The most by which changes add to what an account holds. */
const addedBy = (written: ReadonlyArray<DataStoreChanges>): Count =>
  written.flatMap(({ changes }) => changes).reduce<Count>(
    (sum, change) =>
      change._tag !== "Set" && change._tag !== "Add" ? sum : plus(sum, {
        bytes: Buffer.byteLength(change.key) + (change._tag === "Set" ? Buffer.byteLength(change.value) : 0),
        entries: 1
      }),
    { bytes: 0, entries: 0 }
  )

/**
 * The room in the data stores of accounts. It is counted now and then, and not with every commit: an account can go past its
 * limits by the writes between two counts.
 */
export class StoreRoom extends Context.Service<StoreRoom, {
  /** Lets changes be made, unless they add something and the account holds as much as it may. */
  readonly take: (
    accountId: AccountId,
    written: ReadonlyArray<DataStoreChanges>
  ) => Effect.Effect<void, DataStoresFull>
}>()("@headwater/engine/program/StoreRoom") {
  static readonly layer: Layer.Layer<StoreRoom, never, DataStoreEntries> = Layer.effect(
    StoreRoom,
    Effect.gen(function*() {
      const entries = yield* DataStoreEntries
      const { dataStoresOfAccount: most } = yield* EngineLimits
      const standings = new BoundedMap<AccountId, Standing>(trustedAccounts)

      const isFull = (held: Count) => held.bytes >= most.bytes || held.entries >= most.entries

      const isTrusted = ({ counted, countedAt, since }: Standing, now: number): boolean =>
        now - countedAt < (isFull(plus(counted, since)) ? shortestTrustMs : longestTrustMs)

      const count = Effect.fnUntraced(function*(accountId: AccountId, before: Standing | undefined, now: number) {
        // Those who ask meanwhile go by the count before.
        if (before !== undefined) before.countedAt = now
        const counted = yield* untilAnswered(entries.heldBy(accountId, now))
        const standing: Standing = { counted, countedAt: now, since: { bytes: 0, entries: 0 } }
        standings.set(accountId, standing)
        return standing
      })

      return StoreRoom.of({
        take: Effect.fnUntraced(function*(accountId, written) {
          const added = addedBy(written)
          if (added.entries === 0) return
          const now = yield* RealTime.currentTimeMillis
          const before = standings.get(accountId)
          const standing = before !== undefined && isTrusted(before, now)
            ? before
            : yield* count(accountId, before, now)
          if (isFull(standing.counted)) return yield* new DataStoresFull(most)
          standing.since = plus(standing.since, added)
        })
      })
    })
  )
}
