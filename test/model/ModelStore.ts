import { same } from "./ModelBroken.ts"

/** What became of a key that one program alone changes, in a data store. */
export interface Kept {
  readonly key: string
  readonly change: "set" | "swap" | "delete" | "miss"
  readonly value: string
  /** What was there before; null for nothing. */
  readonly saw: string | null
  /** False if a `compareAndSet` found another value. */
  readonly did: boolean
}

/** Has a program change one of its own keys, and add to the one of all. Sources and workflows have this function in their code. */
export const keep = async (
  store: {
    readonly get: (key: string) => Promise<string | undefined>
    readonly set: (key: string, value: string) => Promise<void>
    readonly delete: (key: string) => Promise<void>
    readonly compareAndSet: (key: string, expected: string | undefined, value: string) => Promise<boolean>
    readonly increment: (key: string) => Promise<number>
  },
  by: string,
  n: number,
  value: string
): Promise<Kept> => {
  const key = `${by}:${n % 3}`
  const change = (["set", "swap", "delete", "miss"] as const)[n % 4]!
  const saw = (await store.get(key)) ?? null
  let did = true
  if (change === "set") await store.set(key, value)
  if (change === "delete") await store.delete(key)
  if (change === "swap") did = await store.compareAndSet(key, saw ?? undefined, value)
  if (change === "miss") did = await store.compareAndSet(key, "of nobody", value)
  await store.increment("all")
  return { key, change, value, saw, did }
}

/** The same on what the model knows of the program's keys. */
export const keepIn = (stored: Map<string, string>, by: string, n: number, value: string): Kept => {
  const key = `${by}:${n % 3}`
  const change = (["set", "swap", "delete", "miss"] as const)[n % 4]!
  const saw = stored.get(key) ?? null
  if (change === "set" || change === "swap") stored.set(key, value)
  if (change === "delete") stored.delete(key)
  return { key, change, value, saw, did: change !== "miss" }
}

/** That a program's keys are in the data store as its runs left them, and no others of its own. */
export const checkStored = (
  { id, stored }: { readonly id: string; readonly stored: ReadonlyMap<string, string> },
  entries: ReadonlyMap<string, string>
): void =>
  same(
    "a data store does not have what was written to it",
    [...entries].filter(([key]) => key.startsWith(`${id}:`)).toSorted(),
    [...stored].map(([key, value]) => [key, JSON.stringify(value)]).toSorted(),
    { program: id }
  )
