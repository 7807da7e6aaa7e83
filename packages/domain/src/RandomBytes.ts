import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { randomFillSync } from "node:crypto"

const pool = new Uint8Array(8_192)
let taken = pool.length

/** Bytes of the system's secure random source, which is asked for many at a time: asking costs more than the bytes. */
export const take = (size: number): Uint8Array => {
  if (size > pool.length) return randomFillSync(new Uint8Array(size))
  if (taken + size > pool.length) {
    randomFillSync(pool)
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
