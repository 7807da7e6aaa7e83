import * as ConsoleBuild from "@headwater/console/ConsoleBuild"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { assemble, compile, type Manifest, npmPack, packages, root, withNeeded } from "./PackedPackages.ts"

/** What the package has of the repository as it is: the server serves it to read. */
const copied = ["README.md", "LICENSE", "docker-compose.yml", "docs", "examples"]

/** The console's page is built, and its packages are in it. */
const built = "@headwater/console"

/** What npm installs for those packages: everything that is not among them. */
const outside = (manifests: ReadonlyArray<Manifest>, part: "dependencies" | "optionalDependencies") => {
  const versions = new Map<string, string>()
  for (const manifest of manifests) {
    for (const [name, version] of Object.entries(manifest[part] ?? {})) {
      if (name.startsWith("@headwater/")) continue
      if ((versions.get(name) ?? version) !== version) throw new Error(`two versions of ${name} are needed`)
      versions.set(name, version)
    }
  }
  return Object.fromEntries([...versions].sort(([one], [other]) => one.localeCompare(other)))
}

/**
 * Packs the package `headwater`: the command, the server and the console in one archive. This repository's own packages
 * are bundled dependencies in it; npm installs the others. Answers the path of the archive.
 */
export const pack = async (folder: string): Promise<string> => {
  await ConsoleBuild.files()
  const whole: Manifest = JSON.parse(await Fs.readFile(Path.join(root, "package.json"), "utf8"))
  const needed = withNeeded(await packages(), ["@headwater/cli"])
  const manifests = [whole, ...needed.map(({ manifest }) => manifest)].filter(({ name }) => name !== built)
  const work = await Fs.mkdtemp(Path.join(folder, "headwater-"))
  try {
    const compiled = Path.join(work, "compiled")
    const target = Path.join(work, "headwater")
    await compile(needed.map((one) => one.folder), compiled, { declaration: false })
    for (const one of needed) {
      const { dependencies: _, optionalDependencies: __, ...manifest } = one.manifest
      await assemble({ folder: one.folder, manifest }, compiled, Path.join(target, "node_modules", manifest.name))
    }
    for (const name of copied) await Fs.cp(Path.join(root, name), Path.join(target, name), { recursive: true })
    const { description, license, name, type, version } = whole
    const own = Object.fromEntries(needed.map(({ manifest }) => [manifest.name, manifest.version]))
    const published = {
      name,
      version,
      description,
      license,
      type,
      os: ["linux", "darwin"],
      bin: { headwater: "node_modules/@headwater/cli/bin/headwater" },
      dependencies: { ...own, ...outside(manifests, "dependencies") },
      optionalDependencies: outside(manifests, "optionalDependencies"),
      bundleDependencies: Object.keys(own)
    }
    await Fs.writeFile(Path.join(target, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
    return await npmPack(target, folder)
  } finally {
    await Fs.rm(work, { recursive: true })
  }
}
