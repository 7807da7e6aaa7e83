import type { AccountId } from "@headwater/domain/Id"
import * as Recurring from "@headwater/domain/Recurring"
import { Accounts } from "@headwater/log/access/Accounts"
import { Figures } from "@headwater/log/commit/Figures"
import { Backlog, sizeOf } from "@headwater/log/work/Backlog"
import { Clock, Effect } from "effect"
import { Singleton } from "effect/cluster"

const sampleEvery = "1 minute"

/** Accounts are measured for so long after they were last active, in milliseconds, to see the effects of that too. */
const activeWithinMs = 180_000

/** Accounts that are measured each time, since each costs some milliseconds of the database. Others take turns. */
const most = 200

/**
 * Measures how much waits for the listeners of accounts, for charts: of accounts that do something, and of those to
 * which anything was owed the last time. If there are more than can be measured, the others are taken to be as they
 * were.
 */
export const make = Effect.gen(function*() {
  const accounts = yield* Accounts
  const backlogs = yield* Backlog
  const figures = yield* Figures
  /** The accounts in line, the next one first; none before the first time, when all are to be measured. */
  let line: Set<AccountId> | undefined
  /** The sizes of the backlogs that were not empty the last time. */
  const owed = new Map<AccountId, ReturnType<typeof sizeOf>>()

  const measure = Effect.fnUntraced(function*(accountId: AccountId, isActive: boolean) {
    const size = sizeOf(yield* backlogs.of(accountId))
    const isOwed = size.waiting + size.pending > 0
    // An account that owes nothing, and owed nothing before, has nothing to draw.
    if (isOwed || isActive || owed.has(accountId)) figures.noteBacklog(accountId, size)
    if (isOwed) owed.set(accountId, size)
    else owed.delete(accountId)
  })

  const sample = Effect.gen(function*() {
    line ??= new Set((yield* accounts.list).map(({ id }) => id))
    const active = new Set(yield* figures.activeSince((yield* Clock.currentTimeMillis) - activeWithinMs))
    for (const id of active) line.add(id)
    for (const id of owed.keys()) line.add(id)
    const chosen = [...line].slice(0, most)
    for (const id of chosen) line.delete(id)
    const measured = new Set(chosen)
    for (const [id, size] of owed) if (!measured.has(id)) figures.noteBacklog(id, size)
    yield* Effect.forEach(chosen, (id) => measure(id, active.has(id)), { discard: true })
  })

  return { sample }
})

/** Measures each minute for as long as this is built: on one node, however many there are. */
export const layer = Singleton.make(
  "BacklogSamples",
  Effect.flatMap(make, ({ sample }) => Recurring.repeat("measure what waits for listeners", sampleEvery, sample))
)
