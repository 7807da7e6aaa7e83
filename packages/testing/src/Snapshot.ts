import { prefixes } from "@headwater/domain/Id"

/** Ids that a server makes, and events' places in the log: they differ from one run of a test to the next. */
const ids = new RegExp(
  String.raw`\b(?:${Object.values(prefixes).join("|")})_[0-9A-Za-z]{20}\b|\b\d{13}-\d{1,7}\b`,
  "g"
)

/** 24 characters of base64url by themselves: the id of a delivery. */
const emitId = /^[\w-]{24}$/

/** The server of a test, at a port of its own, and the end of an endpoint's URL, which is a secret. */
const server = /\b127\.0\.0\.1:\d{1,5}\b/g
const endpoint = /(?<=\/http\/)[\w-]{24}\b/g

/** A signature of a request: HMAC or ed25519, in base64. */
const signature = /\bv1a?,(?:[\w+/]{86}==|[\w+/]{43}=)/g

/** An emit id, too, may begin with some letters and an underscore. */
const prefixOf = (id: string): string => {
  if (id.search(ids) < 0) return "emit"
  return /^[a-z]+(?=_)/.exec(id)?.[0] ?? "event"
}

/**
 * A copy of some JSON that is the same each time that a test runs: ids of the server become `<dc 1>`, `<event 2>` and so on,
 * its address `<server>`, endpoints `<endpoint 1>` and signatures `<signature 1>`: the same one the same name, in the order
 * in which they come. Times stay, since the clock of a test is its own.
 */
export const stable = <A>(value: A): A => {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const named = (kind: string) => (text: string): string => {
    const known = names.get(text)
    if (known !== undefined) return known
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    names.set(text, `<${kind} ${count}>`)
    return `<${kind} ${count}>`
  }
  const nameOf = (id: string): string => named(prefixOf(id))(id)
  const replaceIn = (text: string): string =>
    text.replaceAll(signature, named("signature")).replaceAll(endpoint, named("endpoint")).replaceAll(
      server,
      "<server>"
    )
      .replaceAll(ids, nameOf)
  const replace = (one: unknown): unknown => {
    if (typeof one === "string") return emitId.test(one) ? nameOf(one) : replaceIn(one)
    if (Array.isArray(one)) return one.map(replace)
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [replaceIn(name), replace(inner)]))
  }
  return replace(value) as A
}
