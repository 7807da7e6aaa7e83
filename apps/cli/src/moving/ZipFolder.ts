/** Reads zip files of which nothing is trusted. */
import { Effect } from "effect"
import { createWriteStream } from "node:fs"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { crc32 } from "node:zlib"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { CommandRefused } from "../CommandRefused.ts"

export interface Limits {
  readonly entries: number
  /** Of all files as they are unpacked. */
  readonly bytes: number
  readonly fileBytes: number
  /** All files may be so many times larger than the zip, once they are larger than `freeBytes`. */
  readonly ratio: number
  readonly freeBytes: number
}

const mebibyte = 1024 * 1024

export const limits: Limits = {
  entries: 20_000,
  bytes: 512 * mebibyte,
  fileBytes: 64 * mebibyte,
  ratio: 100,
  freeBytes: 16 * mebibyte
}

/** The zip is not taken. */
class Refused extends Error {}

const named = (name: string) => JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name)

const refuse = (name: string, why: string): never => {
  throw new Refused(`its entry ${named(name)} ${why}`)
}

/** The kind of a file, in the mode that Unix keeps in an entry. */
const kindOf = ({ externalFileAttributes }: Entry) => (externalFileAttributes >>> 16) & 0o170000
const plainFile = 0o100000
const folder = 0o040000
const link = 0o120000

/** Names of devices, with any ending (Microsoft, "Naming Files, Paths, and Namespaces"). */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i

const checkName = (name: string): void => {
  const parts = name.replace(/\/$/, "").split("/")
  if (name.includes("\0")) refuse(name, "has a NUL in its name")
  if (name.includes("\\")) refuse(name, "has a backslash in its name")
  if (/^(\/|[A-Za-z]:)/.test(name)) refuse(name, "has an absolute path")
  if (parts.includes("..")) refuse(name, "leads out of the folder")
  if (parts.some((part) => part === "" || part === ".")) refuse(name, "has no plain path")
  if (parts.some((part) => device.test(part))) refuse(name, "has the name of a device")
  if (parts.some((part) => /[.\s]$/.test(part))) {
    refuse(name, "ends in a dot or a space, which some file systems leave out")
  }
  if (name.length > 1_000 || parts.some((part) => Buffer.byteLength(part) > 255)) refuse(name, "has too long a name")
}

const checkEntry = (entry: Entry, { fileBytes }: Limits): void => {
  const { compressionMethod, fileName, uncompressedSize } = entry
  const kind = kindOf(entry)
  if (kind === link) refuse(fileName, "is a symbolic link")
  if (kind !== 0 && kind !== plainFile && kind !== folder) refuse(fileName, "is no plain file")
  if (entry.isEncrypted()) refuse(fileName, "is encrypted")
  if (compressionMethod !== 0 && compressionMethod !== 8) refuse(fileName, "is compressed in a way that is not read")
  if (uncompressedSize > fileBytes) refuse(fileName, `has more than ${fileBytes} bytes`)
}

/** All entries of a zip, of which each may be unpacked. */
const entriesOf = async (zip: ZipFile, limits: Limits): Promise<ReadonlyArray<Entry>> => {
  if (zip.entryCount > limits.entries) throw new Refused(`it has more than ${limits.entries} entries`)
  const entries: Array<Entry> = []
  const files = new Set<string>()
  const folders = new Set<string>()
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    const name = Buffer.isBuffer(entry.fileName) ? entry.fileName.toString("utf8") : entry.fileName
    entry.fileName = name
    checkName(name)
    checkEntry(entry, limits)
    bytes += entry.uncompressedSize
    if (bytes > limits.bytes) throw new Refused(`its files have more than ${limits.bytes} bytes`)
    if (bytes > limits.freeBytes && bytes > limits.ratio * zip.fileSize) {
      throw new Refused(`its files are more than ${limits.ratio} times as large as it is`)
    }
    // Some file systems take such names for the same.
    const plain = name.normalize("NFC").toLowerCase()
    const own = plain.replace(/\/$/, "")
    if (files.has(own) || !plain.endsWith("/") && folders.has(own)) refuse(name, "is there twice")
    if (plain.endsWith("/")) folders.add(own)
    else files.add(own)
    for (let inner = Path.posix.dirname(own); inner !== "."; inner = Path.posix.dirname(inner)) {
      if (files.has(inner)) refuse(name, "lies in what is a file")
      folders.add(inner)
    }
    entries.push(entry)
  }
  return entries
}

const write = async (bytes: Readable, { crc32: expected, fileName }: Entry, path: string): Promise<void> => {
  let sum = 0
  await pipeline(
    bytes,
    async function*(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    },
    createWriteStream(path, { flags: "wx", mode: 0o600 })
  )
  if (sum !== expected) refuse(fileName, "is damaged: its checksum is another one")
}

const unpackInto = async (target: string, file: string, limits: Limits): Promise<void> => {
  // Its own check of names is for those that it decodes, and would call some by another name.
  const zip = await openPromise(file, { decodeStrings: false, autoClose: false })
  try {
    const entries = await entriesOf(zip, limits)
    for (const entry of entries) {
      const path = Path.join(target, entry.fileName)
      if (!path.startsWith(`${target}${Path.sep}`)) refuse(entry.fileName, "leads out of the folder")
      if (entry.fileName.endsWith("/")) {
        await Fs.mkdir(path, { recursive: true, mode: 0o700 })
        continue
      }
      await Fs.mkdir(Path.dirname(path), { recursive: true, mode: 0o700 })
      await write(await zip.openReadStreamPromise(entry), entry, path)
    }
  } finally {
    zip.close()
  }
}

/**
 * Unpacks a zip into a folder, which must be empty. All entries are checked before the first one is written; if a later one
 * turns out damaged, the folder is half filled, and of no use.
 */
export const unpack = (file: string, target: string, within = limits): Effect.Effect<void, CommandRefused> =>
  Effect.tryPromise({
    try: () => unpackInto(Path.resolve(target), file, within),
    catch: (error) => {
      const why = error instanceof Refused
        ? `is not taken: ${error.message}`
        : `can't be read as a zip: ${error instanceof Error ? error.message : String(error)}`
      return new CommandRefused({ message: `${file} ${why}` })
    }
  })
