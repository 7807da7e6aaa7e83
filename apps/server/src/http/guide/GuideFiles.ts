/** The documentation as it is written: files of the clone, or of the package `headwater`. */
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/**
 * The root of the clone, or of the package `headwater`, which has the server below `node_modules`. Files in it with
 * these names are served under them, so that links between them hold.
 */
const above = Path.resolve(import.meta.dirname, "../../../../..")
const root = Path.basename(above) === "node_modules" ? Path.dirname(above) : above
export const rootFiles = ["README.md", "LICENSE", "docker-compose.yml"]
export const folders = { docs: ".md", examples: ".mjs" }

/** The folder of the pictures in the documentation. */
export const pictures = "docs/images/console"

const readFolder = async (folder: string, extension: string): Promise<ReadonlyArray<string>> => {
  const names = await Fs.readdir(Path.join(root, folder)).catch((): Array<string> => [])
  return names.filter((name) => name.endsWith(extension)).toSorted().map((name) => `${folder}/${name}`)
}

/** Every file that is served, by its path below the root. */
export const readAll = async (): Promise<ReadonlyMap<string, string>> => {
  const inFolders = await Promise.all(
    Object.entries(folders).map(([folder, extension]) => readFolder(folder, extension))
  )
  const texts = await Promise.all([...inFolders.flat(), ...rootFiles].map(async (path) => {
    const text = await Fs.readFile(Path.join(root, path), "utf8").catch(() => undefined)
    return text === undefined ? [] : [[path, text] as const]
  }))
  return new Map(texts.flat())
}

/** A picture, if there is one of that name. */
export const readPicture = async (name: string): Promise<Uint8Array | undefined> => {
  if (!/^[\w-]+\.png$/.test(name)) return undefined
  return Fs.readFile(Path.join(root, pictures, name)).catch(() => undefined)
}
