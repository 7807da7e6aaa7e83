import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"

/** The entry of one place in a `package-lock.json`. */
export interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly engines?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

export const read = async (folder: string): Promise<LockFile> =>
  JSON.parse(await Fs.readFile(Path.join(folder, "package-lock.json"), "utf8"))

/** Optional packages that a package names and its lock leaves out, as name and version, by the place of the package. */
export const leftOut = ({ packages }: LockFile): ReadonlyMap<string, ReadonlyArray<string>> => {
  const isLocked = (place: string, name: string): boolean => {
    if (packages[`${place === "" ? "" : `${place}/`}node_modules/${name}`] !== undefined) return true
    return place !== "" && isLocked(place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/"))), name)
  }
  return new Map(
    Object.entries(packages).map(([place, { optionalDependencies = {} }]) =>
      [
        place,
        Object.entries(optionalDependencies).filter(([name]) => !isLocked(place, name)).map(([name, version]) =>
          `${name}@${version}`
        )
      ] as const
    ).filter(([, names]) => names.length > 0)
  )
}

/**
 * Adds the packages of other platforms to the lock of a folder, as far as the registry has them. npm looks for optional
 * packages only where it resolves what names them: it resolves anew what names one that the lock leaves out, and that alone.
 *
 * @returns what the registry lacks, as name and version
 */
export const complete = async (folder: string): Promise<ReadonlyArray<string>> => {
  const lock = await read(folder)
  const incomplete = leftOut(lock)
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(([place]) => !incomplete.has(place)))
  await Fs.writeFile(Path.join(folder, "package-lock.json"), `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  // The lock names no registry: whoever installs uses their own.
  const settings = ["--package-lock-only", "--ignore-scripts", "--omit-lockfile-registry-resolved", "--no-audit"]
  await promisify(execFile)("npm", ["install", ...settings], { cwd: folder })
  return [...leftOut(await read(folder)).values()].flat()
}
