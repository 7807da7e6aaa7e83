import * as Zlib from "node:zlib"

/** The answer of a decoder that also tells how much it has read. */
interface Read {
  readonly buffer: Buffer<ArrayBuffer>
  readonly engine: { readonly bytesWritten: number }
}

type Decode = (bytes: Uint8Array, options: { readonly info: boolean; readonly maxOutputLength: number }) => unknown

/** True if the two bytes are the header of the zlib format (RFC 1950, 2.2), which some senders of `deflate` omit. */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0

/** A decoder of `zstd` needs no larger window (RFC 9659), and would take memory for any that a frame names. */
const zstdWindow = { [Zlib.constants.ZSTD_d_windowLogMax]: 23 }

/** Content codings (RFC 9110, 8.4.1; RFC 7932; RFC 8878), and a decoder of each for one member, stream or frame. */
const decoders = {
  gzip: Zlib.gunzipSync,
  deflate: (bytes: Uint8Array, options: object) =>
    (isZlib(bytes) ? Zlib.inflateSync : Zlib.inflateRawSync)(bytes, options),
  br: Zlib.brotliDecompressSync,
  zstd: (bytes: Uint8Array, options: object) => Zlib.zstdDecompressSync(bytes, { ...options, params: zstdWindow })
} satisfies Record<string, Decode> as Record<"gzip" | "deflate" | "br" | "zstd", Decode>

export type Coding = keyof typeof decoders

/** The codings that are taken, as `Accept-Encoding` lists them. */
export const accepted = Object.keys(decoders).join(", ")

/** More on top of each other are of no use but to keep a server busy. */
const mostCodings = 3

/** One after the other: each may take about 20 µs whatever is in it. */
const mostFrames = 100

/** These say that there is none; some senders take it for the place of the charset. */
const none: ReadonlySet<string> = new Set(["", "identity", "none", "utf-8", "utf8"])

const isCoding = (name: string): name is Coding => Object.hasOwn(decoders, name)

/**
 * The codings that a `Content-Encoding` names, in the order in which they were applied; undefined where one is unknown, or
 * there are more than 3.
 */
export const named = (header: string | undefined): ReadonlyArray<Coding> | undefined => {
  if (header === undefined) return []
  const names = header.toLowerCase().split(",").map((name) => name.trim().replace(/^x-gzip$/, "gzip"))
    .filter((name) => !none.has(name))
  return names.length <= mostCodings && names.every(isCoding) ? names : undefined
}

/** The reason why bytes were not decoded: there are too many of them, or they are not in the coding. */
export interface Refused {
  readonly refused: "too_large" | "malformed"
}

const tooLarge: Refused = { refused: "too_large" }
const malformed: Refused = { refused: "malformed" }

/** All frames of `zstd`, of which Node reads the first alone. Of the others there is one, with nothing behind it. */
const decodeOne = (
  coding: Coding,
  bytes: Uint8Array<ArrayBuffer>,
  mostBytes: number
): Uint8Array<ArrayBuffer> | Refused => {
  const parts: Array<Buffer<ArrayBuffer>> = []
  let size = 0
  let rest = bytes
  do {
    if (parts.length === (coding === "zstd" ? mostFrames : 1)) return malformed
    const { buffer, engine } = decoders[coding](rest, {
      info: true,
      maxOutputLength: Math.max(1, mostBytes - size)
    }) as Read
    size += buffer.length
    if (size > mostBytes) return tooLarge
    parts.push(buffer)
    rest = rest.subarray(engine.bytesWritten)
  } while (rest.length > 0)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/**
 * Bytes without their codings, of which none is undone beyond so many bytes.
 *
 * @param codings in the order in which they were applied
 */
export const decode = (
  codings: ReadonlyArray<Coding>,
  bytes: Uint8Array<ArrayBuffer>,
  mostBytes: number
): Uint8Array<ArrayBuffer> | Refused => {
  let decoded = bytes
  for (const [index, coding] of codings.toReversed().entries()) {
    // Bytes that are still coded may be a little longer than the decoded ones.
    const most = index === codings.length - 1 ? mostBytes : 2 * mostBytes + 1024
    try {
      const next = decodeOne(coding, decoded, most)
      if ("refused" in next) return next
      decoded = next
    } catch (error) {
      const isBound = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
      return isBound ? tooLarge : malformed
    }
  }
  return decoded
}
