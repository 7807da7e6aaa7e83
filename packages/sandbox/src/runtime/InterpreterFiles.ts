/** The interpreter's files in memory. It asks for them as Node's `fs/promises`, in whose place this module comes. */
const files = new Map<string, Uint8Array>()

export const give = (all: Readonly<Record<string, Uint8Array>>): void => {
  for (const [name, bytes] of Object.entries(all)) files.set(name, bytes)
}

/** Each is read once, and is no longer needed then. */
export const readFile = async (path: string): Promise<Uint8Array> => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const bytes = files.get(name)
  if (bytes === undefined) throw new Error(`The interpreter has no file ${name}`)
  files.delete(name)
  return bytes
}
