/** The keys in the URLs by which anybody reads a file of an account for a while (`docs/workflows.md`, "The file store"). */
import { createHmac, timingSafeEqual } from "node:crypto"

export interface FileKey {
  /** The name of the file's bytes. */
  readonly content: string
  /** The time until which it works, in Unix milliseconds. */
  readonly until: number
  /** Proves that the server made it. */
  readonly proof: string
}

const form = /^([\w-]{1,64})\.(\d{1,15})\.([\w-]{43})$/

const proofOf = (secret: string, { content, until }: Omit<FileKey, "proof">): string =>
  createHmac("sha256", secret).update(`${content} ${until}`).digest("base64url")

export const make = (secret: string, key: Omit<FileKey, "proof">): string =>
  `${key.content}.${key.until}.${proofOf(secret, key)}`

/** Reads a text of this form, whatever secret it was made with. */
export const parse = (text: string): FileKey | undefined => {
  const [, content, until, proof] = form.exec(text) ?? []
  return content === undefined || proof === undefined ? undefined : { content, until: Number(until), proof }
}

/** True if a key was made with the secret and works at a time. */
export const isValid = (secret: string, key: FileKey, now: number): boolean =>
  now < key.until && timingSafeEqual(Buffer.from(proofOf(secret, key)), Buffer.from(key.proof))
