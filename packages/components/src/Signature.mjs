import { timingSafeEqual } from "node:crypto"

/** The bytes of a request's body, which are what its sender has signed. */
export const bytesOf = (request) =>
  request.bodyBase64 === undefined ? Buffer.from(request.bodyRaw ?? "") : Buffer.from(request.bodyBase64, "base64")

/** True if two texts or bytes are the same. Takes as long wherever they differ. */
export const isEqual = (one, other) => {
  const [given, expected] = [Buffer.from(one), Buffer.from(other)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
