import * as Fs from "node:fs/promises"
import * as Path from "node:path"

export const root = Path.resolve(import.meta.dirname, "..")

type Versions = Readonly<Record<string, string>>

/** A `package.json`. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly files?: ReadonlyArray<string>
  readonly exports?: unknown
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly [member: string]: unknown
}

/** A package of this repository: a workspace, or the repository itself. */
export interface Package {
  /** Seen from the root. */
  readonly folder: string
  readonly manifest: Manifest
}

/** The files and folders that are packed of a package, beside its manifest and its texts. */
export const contentsOf = ({ files = ["src", "build", "bin"] }: Manifest): ReadonlyArray<string> => files

/** All of them, by name. */
export const all = async (): Promise<ReadonlyMap<string, Package>> => {
  const parents = await Promise.all(
    ["packages", "apps"].map(async (parent) =>
      (await Fs.readdir(Path.join(root, parent))).map((name) => `${parent}/${name}`)
    )
  )
  const found = await Promise.all([".", ...parents.flat()].map(async (folder): Promise<Package> => ({
    folder,
    manifest: JSON.parse(await Fs.readFile(Path.join(root, folder, "package.json"), "utf8"))
  })))
  return new Map(found.map((one) => [one.manifest.name, one]))
}

/** Those of this repository that a package needs, and that these need in turn. */
export const neededBy = (one: Package, packages: ReadonlyMap<string, Package>): ReadonlySet<Package> => {
  const found = new Set<Package>()
  const waiting = [one]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of Object.keys(next.manifest.dependencies ?? {})) {
      const needed = packages.get(name)
      if (needed === undefined || found.has(needed)) continue
      found.add(needed)
      waiting.push(needed)
    }
  }
  return found
}

/** Packages that npm installs for others: all of their dependencies that are not of this repository. */
export const outside = (
  packages: ReadonlyArray<Package>,
  part: "dependencies" | "optionalDependencies"
): Record<string, string> => {
  const versions = new Map<string, string>()
  for (const { manifest } of packages) {
    for (const [name, version] of Object.entries(manifest[part] ?? {})) {
      if (name.startsWith("@headwater/")) continue
      if ((versions.get(name) ?? version) !== version) throw new Error(`two versions of ${name} are needed`)
      versions.set(name, version)
    }
  }
  return Object.fromEntries([...versions].sort(([one], [other]) => one.localeCompare(other)))
}
