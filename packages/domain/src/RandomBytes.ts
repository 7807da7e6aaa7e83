import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

const pool = new Uint8Array(8_192)
let taken = pool.length

/** Browsers, in which a client of the API runs, have no other source, and none gives more than this at once. */
const mostAtOnce = 65_536

const fill = (bytes: Uint8Array<ArrayBuffer>): Uint8Array => {
  for (let at = 0; at < bytes.length; at += mostAtOnce) crypto.getRandomValues(bytes.subarray(at, at + mostAtOnce))
  return bytes
}

/** Bytes of the system's secure random source, which is asked for many at a time: asking costs more than the bytes. */
export const take = (size: number): Uint8Array => {
  if (size > pool.length) return fill(new Uint8Array(size))
  if (taken + size > pool.length) {
    fill(pool)
    taken = 0
  }
  const bytes = pool.slice(taken, taken + size)
  pool.fill(0, taken, taken + size)
  taken += size
  return bytes
}

export const layer: Layer.Layer<SecureRandom.SecureRandom> = Layer.succeed(
  SecureRandom.SecureRandom,
  SecureRandom.make(take)
)
