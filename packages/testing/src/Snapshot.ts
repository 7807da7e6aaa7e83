/** Ids that a server makes, and events' places in the log: they differ from one run of a test to the next. */
const ids = /\b(?:dc|sc|p|c|d|wh|sub|run|apn|dlv|u|k|con|as|req|msg|tr)_[0-9A-Za-z]{20}\b|\b\d{13}-\d{1,7}\b/g

/** 24 characters of base64url by themselves: what a delivery is known by. */
const emitId = /^[\w-]{24}$/

/** An emit id, too, may begin with some letters and an underscore. */
const prefixOf = (id: string): string => {
  if (id.search(ids) < 0) return "emit"
  return /^[a-z]+(?=_)/.exec(id)?.[0] ?? "event"
}

/**
 * A copy of some JSON that is the same each time that a test runs: ids of the server become `<dc 1>`, `<event 2>` and so on,
 * the same id the same name, in the order in which they come. Times stay, since the clock of a test is its own.
 */
export const stable = <A>(value: A): A => {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const nameOf = (id: string): string => {
    const known = names.get(id)
    if (known !== undefined) return known
    const prefix = prefixOf(id)
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    names.set(id, `<${prefix} ${count}>`)
    return `<${prefix} ${count}>`
  }
  const replace = (one: unknown): unknown => {
    if (typeof one === "string") return emitId.test(one) ? nameOf(one) : one.replaceAll(ids, nameOf)
    if (Array.isArray(one)) return one.map(replace)
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [name.replaceAll(ids, nameOf), replace(inner)])
    )
  }
  return replace(value) as A
}
