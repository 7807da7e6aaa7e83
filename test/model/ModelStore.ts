import { broken, same } from "./ModelBroken.ts"
import type { EntryRow } from "./Observation.ts"

/** What became of a key that one program alone changes, in a data store. */
export interface Kept {
  readonly key: string
  /** `brief` has the key go after a while, `shorten` does so to what is there, and `stay` has that stay. */
  readonly change: "set" | "swap" | "delete" | "miss" | "brief" | "shorten" | "stay"
  readonly value: string
  /** What was there before; null for nothing. */
  readonly saw: string | null
  /** False if a `compareAndSet` found another value. */
  readonly did: boolean
}

/** How long a value stays that goes after a while, in seconds. */
export const briefSeconds = 5
export const shortSeconds = 300

/** What runs do to a key in turn: those of a source, of which it is known beforehand what they find, let no time pass. */
export const changes = ["set", "swap", "delete", "miss", "brief", "shorten", "stay"] as const
export const timelessChanges = changes.slice(0, 4)

/** Has a program change one of its own keys, and add to the one of all. Sources and workflows have this function in their code. */
export const keep = async (
  store: {
    readonly get: (key: string) => Promise<string | undefined>
    readonly set: (key: string, value: string, options?: { readonly ttl: number }) => Promise<void>
    readonly setTtl: (key: string, seconds: number | null) => Promise<void>
    readonly delete: (key: string) => Promise<void>
    readonly compareAndSet: (key: string, expected: string | undefined, value: string) => Promise<boolean>
    readonly increment: (key: string) => Promise<number>
  },
  by: string,
  n: number,
  value: string,
  changes: ReadonlyArray<Kept["change"]>,
  [brief, short]: readonly [brief: number, short: number]
): Promise<Kept> => {
  const key = `${by}:${n % 3}`
  const change = changes[n % changes.length]!
  const saw = (await store.get(key)) ?? null
  let did = true
  if (change === "set") await store.set(key, value)
  if (change === "delete") await store.delete(key)
  if (change === "swap") did = await store.compareAndSet(key, saw ?? undefined, value)
  if (change === "miss") did = await store.compareAndSet(key, "of nobody", value)
  if (change === "brief") await store.set(key, value, { ttl: brief })
  if (change === "shorten") await store.setTtl(key, short)
  if (change === "stay") await store.setTtl(key, null)
  await store.increment("all")
  return { key, change, value, saw, did }
}

/** A value in the data store, and between which times it goes, in milliseconds: never if that is infinite. */
export interface Stored {
  readonly value: string
  readonly from: number
  readonly to: number
}

/** Between which times a run was, and the latest time that there ever was, in milliseconds. */
export interface Times {
  readonly earliest: number
  readonly latest: number
  readonly furthest: number
}

const forGood = { from: Infinity, to: Infinity }

/** Of a program whose values stay: what a run of it is to say. */
export const keepIn = (stored: Map<string, Stored>, by: string, n: number, value: string): Kept => {
  const key = `${by}:${n % 3}`
  const change = timelessChanges[n % timelessChanges.length]!
  const saw = stored.get(key)?.value ?? null
  if (change === "set" || change === "swap") stored.set(key, { value, ...forGood })
  if (change === "delete") stored.delete(key)
  return { key, change, value, saw, did: change !== "miss" }
}

/** Of a program whose values may go: what a run of it is to say, which has said this. */
export const keepBriefly = (
  stored: Map<string, Stored>,
  by: string,
  n: number,
  value: string,
  said: Kept,
  { earliest, furthest, latest }: Times
): Kept => {
  const key = `${by}:${n % 3}`
  const change = changes[n % changes.length]!
  const before = stored.get(key)
  const isGone = before === undefined || before.to <= earliest
  const isThere = before !== undefined && before.from > furthest
  // Whether it had gone when the run looked, nobody can tell but the run.
  const isUnsure = !isGone && !isThere
  const saw = isGone || isUnsure && said.saw === null ? null : before.value
  const did = change !== "miss" && (said.did || change !== "swap" || !isUnsure)
  const within = (seconds: number) => ({ from: earliest + 1_000 * seconds, to: latest + 1_000 * seconds })
  const goes = (when: Pick<Stored, "from" | "to">) => {
    if (isGone) return
    const { from, to, value } = before
    stored.set(key, {
      value,
      ...(isUnsure ? { from: Math.min(from, when.from), to: Math.max(to, when.to) } : when)
    })
  }
  if (change === "set" || change === "swap" && did) stored.set(key, { value, ...forGood })
  if (change === "delete") stored.delete(key)
  if (change === "brief") stored.set(key, { value, ...within(briefSeconds) })
  if (change === "shorten") goes(within(shortSeconds))
  if (change === "stay") goes(forGood)
  return { key, change, value, saw, did }
}

/** That a program's keys are in the data store as its runs left them and for as long, and no others of its own. */
export const checkStored = (
  { id, stored }: { readonly id: string; readonly stored: Map<string, Stored> },
  entries: ReadonlyMap<string, EntryRow>,
  furthest: number
): void => {
  const own = [...entries].filter(([key]) => key.startsWith(`${id}:`))
  const there = new Set(own.map(([key]) => key))
  for (const [key, { from }] of stored) {
    if (!there.has(key) && from <= furthest) stored.delete(key)
  }
  same(
    "a data store does not have what was written to it",
    own.map(([key, { value }]) => [key, value]).toSorted(),
    [...stored].map(([key, { value }]) => [key, JSON.stringify(value)]).toSorted(),
    { program: id }
  )
  for (const [key, { expires_at }] of own) {
    const { from, to, value } = stored.get(key)!
    const at = expires_at === null ? Infinity : Number(expires_at)
    if (at < from || at > to) broken("a value does not go when it should", { key, at, from, to })
    stored.set(key, { value, from: at, to: at })
  }
}
