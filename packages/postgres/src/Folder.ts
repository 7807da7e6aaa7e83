import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { codeOf } from "./SystemError.ts"

const isThere = (path: string): Promise<boolean> => Fs.stat(path).then((found) => found.isDirectory(), () => false)

/**
 * Creates a directory, and those above it that are missing. Rejects with the system's error.
 *
 * Node's own `recursive` does not end where a directory that is there takes no others, as below `/proc`.
 */
export const create = async (path: string, mode: number): Promise<void> => {
  try {
    await Fs.mkdir(path, { mode })
  } catch (cause) {
    if (codeOf(cause) === "EEXIST" && await isThere(path)) return
    const parent = Path.dirname(path)
    if (codeOf(cause) !== "ENOENT" || await isThere(parent)) throw cause
    await create(parent, mode)
    await create(path, mode)
  }
}

/** Makes durable which files are in a directory. */
export const sync = async (path: string): Promise<void> => {
  const directory = await Fs.open(path)
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
