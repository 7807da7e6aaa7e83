import { Packages } from "@headwater/sandbox/Packages"
import { Context, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

export interface PublishedPackage {
  readonly name: string
  readonly version: string
  /** What its `package.json` says beside that. */
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>
  /** Symbolic links, by path what they lead to. */
  readonly links?: Readonly<Record<string, string>>
  /** Texts by path in the archive itself, of which a proper package has all in one folder. */
  readonly strays?: Readonly<Record<string, string>>
  /** What is said to be the archive's checksum, where that is not true. */
  readonly integrity?: string
}

/** A registry of npm packages on loopback. */
export class PackageRegistry extends Context.Service<PackageRegistry, {
  readonly url: string
  /** The paths asked for, in order. */
  readonly asked: ReadonlyArray<string>
  /** The newest version of a package is the one that was published last. */
  readonly publish: (published: PublishedPackage) => void
  /** Whether it answers; else it ends connections without a word. */
  up: boolean
}>()("@headwater/testing/PackageRegistry") {
  static readonly layer = Layer.effect(PackageRegistry, Effect.suspend(() => make))
}

/** An installer that has packages from that registry. */
export const packages: Layer.Layer<Packages, never, PackageRegistry> = Layer.unwrap(Effect.gen(function*() {
  const { url } = yield* PackageRegistry
  return Packages.layer({ directory: yield* TemporaryDirectory.make("packages"), registry: url })
}))

interface Version {
  readonly manifest: Record<string, unknown>
  readonly archive: Buffer
}

const archiveOf = (
  directory: string,
  { files, links = {}, strays = {} }: PublishedPackage,
  manifest: unknown
): Buffer => {
  const root = Fs.mkdtempSync(join(directory, "package-"))
  for (const [path, text] of Object.entries({ ...files, "package.json": JSON.stringify(manifest) })) {
    Fs.mkdirSync(dirname(join(root, "package", path)), { recursive: true })
    Fs.writeFileSync(join(root, "package", path), text)
  }
  for (const [path, target] of Object.entries(links)) Fs.symlinkSync(target, join(root, "package", path))
  const renamed = Object.entries(strays).map(([path, text], index) => {
    Fs.writeFileSync(join(root, `stray-${index}`), text)
    return { name: `stray-${index}`, rule: `--transform=s|^stray-${index}$|${path}|` }
  })
  const names = ["package", ...renamed.map(({ name }) => name)]
  return execFileSync("tar", ["czP", "-C", root, ...renamed.map(({ rule }) => rule), ...names])
}

const make = Effect.gen(function*() {
  const directory = yield* TemporaryDirectory.make("registry")
  const packages = new Map<string, Array<Version>>()
  const asked: Array<string> = []
  const registry = { url: "", asked, up: true, publish: (published: PublishedPackage) => publish(published) }

  const publish = (published: PublishedPackage): void => {
    const { name, version } = published
    const manifest = { name, version, ...published.manifest }
    const archive = archiveOf(directory, published, manifest)
    const dist = {
      tarball: `${registry.url}${name}/-/${version}.tgz`,
      integrity: published.integrity ?? `sha512-${createHash("sha512").update(archive).digest("base64")}`
    }
    packages.set(name, [...(packages.get(name) ?? []), { manifest: { ...manifest, dist }, archive }])
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1)
    asked.push(path)
    if (!registry.up) return void response.destroy()
    const [name = "", archive] = path.split("/-/")
    const versions = packages.get(name)
    const found = versions?.find(({ manifest }) => `${String(manifest["version"])}.tgz` === archive)
    if (found !== undefined) return void response.end(found.archive)
    if (versions === undefined || archive !== undefined) return void response.writeHead(404).end("{}")
    response.setHeader("content-type", "application/json")
    return void response.end(JSON.stringify({
      name,
      "dist-tags": { latest: versions.at(-1)?.manifest["version"] },
      versions: Object.fromEntries(versions.map(({ manifest }) => [manifest["version"], manifest]))
    }))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((closed) => {
        server.closeAllConnections()
        server.close(() => closed(Effect.void))
      })
  )
  const address = server.address()
  registry.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  return registry
})
