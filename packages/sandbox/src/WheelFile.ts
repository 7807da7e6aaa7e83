/** The archive of a Python package: what of it is to be known before it is unpacked in a sandbox. */
import { inflateRawSync } from "node:zlib"

/** The archive is none that can be read. */
export class WheelUnreadable extends Error {}

interface Entry {
  readonly name: string
  readonly method: number
  readonly compressed: number
  readonly size: number
  readonly offset: number
}

const endMark = 0x06054b50
const entryMark = 0x02014b50

/** The entries of a zip archive, by its directory at the end. */
const entriesOf = (bytes: Buffer): ReadonlyArray<Entry> => {
  const latest = Math.max(0, bytes.length - 65_557)
  let end = bytes.length - 22
  while (end >= latest && bytes.readUInt32LE(end) !== endMark) end--
  if (end < latest) throw new WheelUnreadable("it is no zip archive")
  const count = bytes.readUInt16LE(end + 10)
  const found: Array<Entry> = []
  let at = bytes.readUInt32LE(end + 16)
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== entryMark) throw new WheelUnreadable("its directory is broken")
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    found.push({
      method: bytes.readUInt16LE(at + 10),
      compressed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
      name: bytes.toString("utf8", at + 46, at + 46 + nameLength!)
    })
    at += 46 + nameLength! + extraLength! + commentLength!
  }
  return found
}

/** The longest description that is read, in bytes. */
const mostMetadata = 4 * 1024 * 1024

const contentOf = (bytes: Buffer, { compressed, method, offset }: Entry): string => {
  const from = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const content = bytes.subarray(from, from + compressed)
  const plain = method === 0 ? content : inflateRawSync(content, { maxOutputLength: mostMetadata })
  if (plain.length > mostMetadata) throw new WheelUnreadable("its description is too long")
  return plain.toString("utf8")
}

export interface Wheel {
  /** The modules that it brings, by the names that they are imported by. */
  readonly modules: ReadonlyArray<string>
  /** Its requirements, as they are written. */
  readonly requires: ReadonlyArray<string>
  /** Bytes of all of its files. */
  readonly unpackedBytes: number
}

export const read = (file: Uint8Array): Wheel => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  try {
    const entries = entriesOf(bytes)
    const metadata = entries.find(({ name }) => /^[^/]+\.dist-info\/METADATA$/.test(name))
    if (metadata === undefined) throw new WheelUnreadable("it does not say what it is")
    const [head = ""] = contentOf(bytes, metadata).split(/\r?\n\r?\n/, 1)
    const tops = entries.flatMap(({ name }) => /^([^/.]+)(?:\/|\.py$)/.exec(name)?.[1] ?? [])
    return {
      modules: [...new Set(tops)],
      requires: [...head.matchAll(/^Requires-Dist:[ \t]*(.*)$/gim)].map(([, requirement]) => requirement!.trim()),
      unpackedBytes: entries.reduce((sum, { size }) => sum + size, 0)
    }
  } catch (error) {
    throw error instanceof WheelUnreadable ? error : new WheelUnreadable("it is broken")
  }
}
