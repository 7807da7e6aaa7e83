import * as Fs from "node:fs/promises"
import * as Path from "node:path"

const codeOf = (cause: unknown): unknown => cause instanceof Error && "code" in cause ? cause.code : undefined

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
