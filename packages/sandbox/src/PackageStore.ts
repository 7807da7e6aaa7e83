import * as Fs from "node:fs/promises"
import { join } from "node:path"

/** The time for which the versions of a package that others depend on are taken for granted, in milliseconds. */
const metadataMillis = 60 * 60_000

const metadata = "registry.json"

const namesIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  const entries = await Fs.readdir(directory, { withFileTypes: true }).catch(absent)
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

const absent = (error: NodeJS.ErrnoException): [] => {
  if (error.code === "ENOENT") return []
  throw error
}

/** The bytes of the files below a directory, while others may remove some. */
export const bytesOf = async (directory: string): Promise<number> => {
  const entries = await Fs.readdir(directory, { withFileTypes: true, recursive: true }).catch(absent)
  let bytes = 0
  for (const entry of entries) {
    if (entry.isFile()) bytes += await Fs.stat(join(entry.parentPath, entry.name)).then(({ size }) => size, () => 0)
  }
  return bytes
}

/** The installer's cache: by registry, package and version, each verified against its checksum when it was fetched. */
export class PackageStore {
  readonly directory: string

  constructor(directory: string) {
    this.directory = directory
  }

  /** The folder of each package, which has one of each of its versions. */
  async #packages(): Promise<ReadonlyArray<{ readonly name: string; readonly folder: string }>> {
    const found: Array<{ readonly name: string; readonly folder: string }> = []
    const root = join(this.directory, "npm")
    for (const registry of await namesIn(root)) {
      for (const name of await namesIn(join(root, registry))) {
        const folder = join(root, registry, name)
        if (!name.startsWith("@")) found.push({ name, folder })
        else {
          for (const own of await namesIn(folder)) found.push({ name: `${name}/${own}`, folder: join(folder, own) })
        }
      }
    }
    return found
  }

  /**
   * Has the registry asked anew which versions there are.
   *
   * @param names packages of which the newest is wanted; of others it is asked where they were last asked for long ago
   * @param now in Unix milliseconds
   */
  async forgetVersions(names: ReadonlyArray<string>, now: number): Promise<void> {
    for (const { folder, name } of await this.#packages()) {
      const file = join(folder, metadata)
      const known = await Fs.stat(file).catch(() => undefined)
      if (known === undefined) continue
      if (names.includes(name) || now - known.mtimeMs > metadataMillis) await Fs.rm(file, { force: true })
    }
  }

  /** Removes versions, those first that were fetched first, until what is left takes no more than so many bytes. */
  async trim(maxBytes: number): Promise<void> {
    const versions: Array<{ readonly folder: string; readonly fetchedAt: number; readonly bytes: number }> = []
    for (const { folder } of await this.#packages()) {
      for (const version of await namesIn(folder)) {
        const own = join(folder, version)
        versions.push({ folder: own, fetchedAt: (await Fs.stat(own)).mtimeMs, bytes: await bytesOf(own) })
      }
    }
    let bytes = versions.reduce((sum, version) => sum + version.bytes, 0)
    for (const version of versions.sort((a, b) => a.fetchedAt - b.fetchedAt)) {
      if (bytes <= maxBytes) return
      await Fs.rm(version.folder, { recursive: true, force: true })
      bytes -= version.bytes
    }
  }
}
