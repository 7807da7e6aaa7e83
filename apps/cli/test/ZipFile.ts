/** Makes zips, also such as no program makes. */
import { crc32, deflateRawSync } from "node:zlib"

export interface ZipEntry {
  readonly name: string | Buffer
  readonly content?: string | Uint8Array
  /** The type and the rights that Unix keeps. */
  readonly mode?: number
  readonly isStored?: boolean
  /** In place of what is so. */
  readonly size?: number
  readonly sum?: number
  readonly flags?: number
}

const header = (signature: number, numbers: ReadonlyArray<readonly [bytes: 2 | 4, value: number]>): Buffer => {
  const bytes = Buffer.alloc(4 + numbers.reduce((all, [size]) => all + size, 0))
  bytes.writeUInt32LE(signature)
  let at = 4
  for (const [size, value] of numbers) at = bytes.writeUIntLE(value, at, size)
  return bytes
}

export const zipOf = (entries: ReadonlyArray<ZipEntry>): Buffer => {
  const local: Array<Buffer> = []
  const central: Array<Buffer> = []
  let offset = 0
  for (const { content = "", flags = 0, isStored = false, mode = 0, name, ...told } of entries) {
    const bytes = Buffer.from(content)
    const data = isStored ? bytes : deflateRawSync(bytes)
    const file = Buffer.from(name)
    const common = [
      [2, flags | 0x800],
      [2, isStored ? 0 : 8],
      [4, 0],
      [4, told.sum ?? crc32(bytes)],
      [4, data.length],
      [4, told.size ?? bytes.length],
      [2, file.length],
      [2, 0]
    ] as const
    const here = Buffer.concat([header(0x04034b50, [[2, 20], ...common]), file, data])
    local.push(here)
    central.push(
      header(0x02014b50, [[2, 0x0314], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, (mode << 16) >>> 0], [
        4,
        offset
      ]]),
      file
    )
    offset += here.length
  }
  const directory = Buffer.concat(central)
  const end = header(0x06054b50, [
    [2, 0],
    [2, 0],
    [2, entries.length],
    [2, entries.length],
    [4, directory.length],
    [4, offset],
    [2, 0]
  ])
  return Buffer.concat([...local, directory, end])
}
