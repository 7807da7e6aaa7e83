/**
 * What stands in a generated request for what only the running server knows: ids, keys, the account's marker. So the
 * sequence of requests follows from the seed alone. The form survives JSON and percent-encoding as it is.
 */
export const kinds = [
  "account",
  "appAccount",
  "audit",
  "autoSubscription",
  "component",
  "componentKey",
  "bulkAction",
  "consumer",
  "delivery",
  "endpoint",
  "event",
  "eventSource",
  "eventOfSource",
  "key",
  "oddSource",
  "run",
  "slug",
  "source",
  "subscription",
  "subscriptionEmitter",
  "subscriptionListener",
  "subscriptionStream",
  "webhook",
  "workflow"
] as const
export type Kind = typeof kinds[number]

/** Whose: the account's own, one of its own that is deleted, or one of the other account. */
export type Whose = "own" | "gone" | "other"

export interface Reference {
  readonly whose: Whose
  readonly kind: Kind
  /** Which one, modulo how many there are. */
  readonly index: number
  /** In place of the id, the cursor that names it in lists. */
  readonly isCursor: boolean
}

export const reference = (kind: Kind, index: number, whose: Whose = "own"): string => `~!${whose}.${kind}.${index}!~`

/** The cursor of a list of resources that names such an item. */
export const cursor = (kind: Kind, index: number, whose: Whose = "own"): string =>
  `~!${whose}.cursor.${kind}.${index}!~`

/** Text that is in everything the account stores, and in nothing of another's. As long as what stands for it. */
export const marker = "~!marker!~"
export const markerLength = marker.length

/** What the account gives to props marked `secret`: no answer shows it. */
export const secret = `${marker} hush`

/** The account's API key. */
export const apiKey = "~!apiKey!~"

/** A live key of the account beside its first one. */
export const spareKey = "~!spareKey!~"

/** The base URL of the server that receives the account's webhooks and hosts component code. */
export const sinkUrl = "~!sinkUrl!~"

/** The same as it stands in a query. */
export const sinkHost = "~!sinkHost!~"

export interface Resolver {
  readonly reference: (reference: Reference) => string
  readonly word: (word: string) => string
}

const pattern = /~!(?:(own|gone|other)\.(cursor\.)?([a-zA-Z]+)\.(\d+)|([a-zA-Z]+))!~/g

const isKind = (text: string): text is Kind => kinds.some((kind) => kind === text)

const isWhose = (text: string | undefined): text is Whose => text === "own" || text === "gone" || text === "other"

/** Puts what the placeholders stand for in their places. */
export const resolve = (text: string, resolver: Resolver): string =>
  text.replace(pattern, (placeholder, whose, cursor, kind, index, word) => {
    if (typeof word === "string") return resolver.word(word)
    return isWhose(whose) && isKind(kind)
      ? resolver.reference({ whose, kind, index: Number(index), isCursor: cursor !== undefined })
      : placeholder
  })

/** Whether a request uses something of the other account. */
export const usesOther = (text: string): boolean => /~!other\./.test(text)
