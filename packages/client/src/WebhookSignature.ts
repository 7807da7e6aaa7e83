/** The reason why a request is not taken for one of the server's. */
export type WebhookRefusal = "missing_header" | "bad_timestamp" | "too_old" | "too_new" | "no_match"

/** A request is not signed by any of the keys, or is not one of now. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface WebhookRequest {
  /** Of the request: a `Headers`, or names and values as Node gives them. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as it came: text or bytes, before anything parses it. */
  readonly body: string | Uint8Array | ArrayBuffer
  /**
   * The key to verify it: a webhook's secret (`whsec_…`) or public key (`whpk_…`), or several, of which one has to fit.
   */
  readonly key: string | ReadonlyArray<string>
  /** The most that the time of the request may differ from now, either way. Default: 300. */
  readonly toleranceSeconds?: number
}

/** A request that one of the keys has signed. Headers other than these are not signed. */
export interface VerifiedWebhook {
  /** The same for every attempt, to know again what came before. */
  readonly id: string
  /** The time at which the attempt began. */
  readonly timestamp: Date
  /** The body as text. */
  readonly text: string
}

interface Verifier {
  /** The version that the header has before its signatures. */
  readonly version: "v1" | "v1a"
  readonly algorithm: { readonly name: "HMAC"; readonly hash: "SHA-256" } | { readonly name: "Ed25519" }
  readonly bytes: Uint8Array<ArrayBuffer>
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const verifierOf = (text: string): Verifier => {
  const [, prefix, base64 = ""] = /^(whsec|whpk)_(.+)$/.exec(text) ?? []
  const bytes = bytesOf(base64)
  if (prefix === undefined || bytes === undefined || (prefix === "whpk" && bytes.length !== 32)) {
    throw new TypeError("A key is whsec_ or whpk_ and base64.")
  }
  return prefix === "whsec"
    ? { version: "v1", algorithm: { name: "HMAC", hash: "SHA-256" }, bytes }
    : { version: "v1a", algorithm: { name: "Ed25519" }, bytes }
}

const headerOf = (headers: WebhookRequest["headers"], name: string): string => {
  const value = headers instanceof Headers
    ? headers.get(name)
    : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  const text = typeof value === "object" ? value?.join(" ") : value
  if (!text) throw new WebhookVerificationError("missing_header", `The request has no ${name}.`)
  return text
}

const timeOf = (text: string, toleranceSeconds: number): number => {
  if (!/^\d{1,12}$/.test(text)) {
    throw new WebhookVerificationError("bad_timestamp", "webhook-timestamp is not a Unix time in seconds.")
  }
  const age = Date.now() / 1000 - Number(text)
  if (age > toleranceSeconds) throw new WebhookVerificationError("too_old", "The request is too old.")
  if (-age > toleranceSeconds) throw new WebhookVerificationError("too_new", "The request is from the future.")
  return Number(text)
}

/**
 * Verifies a request by the Standard Webhooks specification: its HMAC or ed25519 signature, and its time. Web Crypto
 * compares signatures in constant time.
 *
 * @returns a promise that rejects with a {@link WebhookVerificationError} if the request is not what it says
 */
export const verifyWebhook = async (
  { body, headers, key, toleranceSeconds = 300 }: WebhookRequest
): Promise<VerifiedWebhook> => {
  const verifiers = (typeof key === "string" ? [key] : key).map(verifierOf)
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature").split(" ").map((one) => one.split(",", 2))
  const seconds = timeOf(timestamp, toleranceSeconds)
  const content = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body)
  const start = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + content.length)
  signed.set(start)
  signed.set(content, start.length)
  for (const { algorithm, bytes, version } of verifiers) {
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"])
    for (const [theirs, base64 = ""] of signatures) {
      const signature = theirs === version ? bytesOf(base64) : undefined
      if (signature === undefined || !await crypto.subtle.verify(algorithm, key, signature, signed)) continue
      const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(content)
      return { id, timestamp: new Date(seconds * 1000), text }
    }
  }
  throw new WebhookVerificationError("no_match", "No signature of the request is by one of the keys.")
}
