/** Filters that subscriptions are given, by name, and what each lets through as the model sees it. */
const filters = {
  whole: { filter: { whole: true }, lets: (event: Said) => event.whole === true },
  early: { filter: { count: { $lte: 4 } }, lets: ({ count }: Said) => typeof count === "number" && count <= 4 },
  hookless: { filter: { hook: { $exist: false } }, lets: ({ hook }: Said) => hook === undefined },
  other: {
    filter: { $or: [{ heard: { $exist: true } }, { $not: { key: { $endsWith: ["1", "3", "5", "7", "9"] } } }] },
    lets: ({ heard, key }: Said) => heard !== undefined || typeof key !== "string" || !/[13579]$/.test(key)
  }
} as const

interface Said {
  readonly [name: string]: unknown
}

export type FilterName = keyof typeof filters

export const names = ["whole", "early", "hookless", "other"] as const satisfies ReadonlyArray<FilterName>

/** What a client gives. */
export const filterOf = (name: FilterName): object => filters[name].filter

/** Whether an event's payload passes. */
export const lets = (name: FilterName | null, payload: string): boolean => {
  if (name === null) return true
  const event: unknown = JSON.parse(payload)
  return typeof event === "object" && event !== null && filters[name].lets(event as Said)
}
