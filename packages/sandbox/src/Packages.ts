import { AccountSlots } from "@headwater/domain/AccountSlots"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import { Context, Duration, Effect, Layer, Option, Schema, type Scope, Semaphore } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import { join } from "node:path"
import type { PackageSpecifier } from "./PackageSpecifier.ts"
import { bytesOf, PackageStore } from "./PackageStore.ts"
import { packagedDenoPath } from "./SandboxConfig.ts"
import { standIns } from "./StandIns.ts"

/**
 * A package can't be had. `missing`: there is none of that name and version; `refused`: it, or what it needs, can't be
 * installed; `unreachable`: it can't be fetched or kept now.
 */
export class PackageUnavailable extends Schema.TaggedError<PackageUnavailable>()("PackageUnavailable", {
  reason: Schema.Literals(["missing", "unreachable", "refused"]),
  /** The package, where it is known which one it is. */
  name: Schema.optionalKey(Schema.String),
  /** The range of versions that was asked for, if that is the reason. */
  range: Schema.optionalKey(Schema.String),
  message: Schema.String
}) {}

/** Packages with all that they need, for as long as the scope lasts. */
export interface InstalledPackages {
  /** Holds `node_modules`. */
  readonly folder: string
  /** The versions and checksums of all of them, from which the same are installed again. */
  readonly lock: string
  /** The name under which the folder has the package. */
  readonly nameOf: (specifier: PackageSpecifier) => string
}

export interface PackagesOptions {
  /** The directory in which packages are kept between installations. */
  readonly directory: string
  /** In place of the public registry: its URL. */
  readonly registry?: string
  /** Path of a PEM file with authorities to trust beside the public ones and the system's. */
  readonly extraCaFile?: string
  /** The most bytes of packages that are kept; those that were fetched first go first. */
  readonly maxBytes?: number
}

const publicRegistry = "https://registry.npmjs.org/"

const installing = "installing-"

const installMillis = 60_000

/** Installations at a time, each of another account: they wait for the registry more than they work. */
const installedAtOnce = 3

/** The most memory of the installer, and the most bytes of one file and of all files of an installation. */
const memoryKibibytes = 4 * 1024 * 1024
const maxFileBytes = 128 * 1024 * 1024
const maxInstalledBytes = 1024 * 1024 * 1024

/**
 * Installs npm packages for components, without ever running a script of theirs: Deno's installer has versions resolved,
 * checksums verified and archives unpacked, and takes packages from the registry alone.
 */
export class Packages extends Context.Service<Packages, {
  /** @param lock that of an earlier installation, whose versions are taken again */
  install(
    packages: ReadonlyArray<PackageSpecifier>,
    lock: string | undefined
  ): Effect.Effect<InstalledPackages, PackageUnavailable, Scope.Scope>
}>()("@headwater/sandbox/Packages") {
  static readonly layer = (options: PackagesOptions): Layer.Layer<Packages> => Layer.effect(Packages, make(options))
}

const make = Effect.fnUntraced(function*(
  { directory, extraCaFile, maxBytes = 1024 ** 3, registry = publicRegistry }: PackagesOptions
) {
  const slots = new AccountSlots(installedAtOnce, 1)
  /** All of them together are for who removes what installations may be about to take. */
  const permits = yield* Semaphore.make(installedAtOnce)
  const store = new PackageStore(join(directory, "store"))
  yield* Effect.promise(() => Fs.mkdir(directory, { recursive: true }))
  const now = yield* RealTime.currentTimeMillis
  yield* Effect.promise(() => removeAbandoned(directory, now))

  yield* Recurring.every(
    "trim the store of packages",
    "10 minutes",
    permits.withPermits(installedAtOnce)(Effect.promise(() => store.trim(maxBytes)))
  )

  const run = (folder: string) =>
    Effect.callback<void, PackageUnavailable>((resume, signal) => {
      execFile(
        "/bin/sh",
        [
          "-c",
          `ulimit -c 0; ulimit -d ${memoryKibibytes}; ulimit -f ${maxFileBytes / 512}; exec "$0" "$@"`,
          packagedDenoPath(),
          "install",
          "--quiet"
        ],
        {
          cwd: folder,
          signal,
          killSignal: "SIGKILL",
          env: {
            ...throughProxies(),
            // Not the home of the user that the server runs as: his credentials are not for components.
            HOME: folder,
            DENO_DIR: store.directory,
            DENO_NO_UPDATE_CHECK: "1",
            DENO_TLS_CA_STORE: "system,mozilla",
            NO_COLOR: "1",
            ...(extraCaFile === undefined ? {} : { DENO_CERT: extraCaFile }),
            NPM_CONFIG_REGISTRY: registry,
            // Deno would fetch packages of the scope @jsr, and what is named by `jsr:`, from elsewhere.
            JSR_NPM_URL: registry,
            JSR_URL: registry
          }
        },
        (error, _, told) => resume(error === null ? Effect.void : Effect.fail(explain(told)))
      )
    })

  const install = Effect.fnUntraced(function*(packages: ReadonlyArray<PackageSpecifier>, lock: string | undefined) {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => Fs.mkdtemp(join(directory, installing))),
      (folder) => Effect.promise(() => Fs.rm(folder, { recursive: true, force: true }))
    )
    const names = namesOf(packages)
    const lockFile = join(folder, "deno.lock")
    const now = yield* RealTime.currentTimeMillis
    yield* Effect.promise(async () => {
      await Fs.writeFile(join(folder, "package.json"), JSON.stringify(manifestOf(packages, names)))
      if (lock !== undefined) await Fs.writeFile(lockFile, lock)
      await store.forgetVersions(packages.filter((each) => !isLocked(lock, each)).map(({ name }) => name), now)
    })
    yield* Effect.raceFirst(run(folder), overflowOf(folder))
    const found = yield* Effect.promise(() => Fs.readFile(lockFile, "utf8"))
    return { folder, lock: found, nameOf: (each: PackageSpecifier) => names.get(keyOf(each)) ?? each.name }
  })

  return Packages.of({
    install: (packages, lock) =>
      Effect.flatMap(OnBehalfOf, (account) =>
        install(packages, lock).pipe(
          Effect.timeoutOrElse({
            duration: Duration.millis(installMillis),
            orElse: () =>
              Effect.fail(
                new PackageUnavailable({ reason: "unreachable", message: `installing takes over ${installMillis} ms` })
              )
          }),
          permits.withPermit,
          (installed) => slots.hold(account, installed),
          // Somebody waits for the answer, who is better told to come again.
          Effect.timeoutOrElse({
            duration: Duration.millis(2 * installMillis),
            orElse: () =>
              Effect.fail(
                new PackageUnavailable({ reason: "unreachable", message: "too many other installations are under way" })
              )
          })
        ))
  })
})

/** Fails when an installation takes more room than it may. */
const overflowOf = (folder: string): Effect.Effect<never, PackageUnavailable> =>
  Effect.sleep("1 second").pipe(
    Effect.andThen(Effect.promise(() => bytesOf(folder))),
    Effect.repeat({ until: (bytes) => bytes > maxInstalledBytes }),
    Effect.andThen(Effect.fail(
      new PackageUnavailable({
        reason: "refused",
        message: `the package and its dependencies have over ${maxInstalledBytes} bytes`
      })
    ))
  )

/** Folders of installations whose server was killed. Another server may use the directory, and installs now. */
const removeAbandoned = async (directory: string, now: number): Promise<void> => {
  for (const name of await Fs.readdir(directory)) {
    const folder = join(directory, name)
    const known = name.startsWith(installing) ? await Fs.stat(folder).catch(() => undefined) : undefined
    if (known !== undefined && now - known.mtimeMs > 10 * installMillis) {
      await Fs.rm(folder, { recursive: true, force: true })
    }
  }
}

const keyOf = ({ name, range }: PackageSpecifier): string => `${name}@${range ?? "latest"}`

/** Each package has its own name, but for one that is there already in another version. */
const namesOf = (packages: ReadonlyArray<PackageSpecifier>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const each of packages) {
    if (names.has(keyOf(each))) continue
    const isTaken = [...names.values()].includes(each.name)
    names.set(keyOf(each), isTaken ? `other-version-${names.size}` : each.name)
  }
  return names
}

const manifestOf = (packages: ReadonlyArray<PackageSpecifier>, names: ReadonlyMap<string, string>) => {
  const alias = ({ name, range = "latest" }: PackageSpecifier) => `npm:${name}@${range}`
  const [first] = packages
  return {
    private: true,
    dependencies: Object.fromEntries(packages.map((each) => [names.get(keyOf(each)), alias(each)])),
    // A package with a stand-in is never fetched: another that is there anyway comes in its place, and nobody looks at
    // it.
    overrides: first === undefined ? {} : Object.fromEntries(Object.keys(standIns).map((name) => [name, alias(first)]))
  }
}

const decodeLock = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ specifiers: Schema.Record(Schema.String, Schema.String) }))
)

const isLocked = (lock: string | undefined, each: PackageSpecifier): boolean =>
  Option.exists(decodeLock(lock), ({ specifiers }) => Object.hasOwn(specifiers, `npm:${keyOf(each)}`))

const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"]

const throughProxies = (): Record<string, string> =>
  Object.fromEntries(
    proxies.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

/** The installer's last words: a sentence after `error:`, and sometimes what caused it. */
const explain = (told: string): PackageUnavailable => {
  const [, sentence = told.trim()] = /^error: (.*)$/m.exec(told) ?? []
  const [, name] = /package ['"]([^'"]+)['"]/.exec(sentence) ?? []
  const [, range] = /(?:matching|dist-tag) '([^']+)'/.exec(sentence) ?? []
  const known = { ...(name === undefined ? {} : { name }), ...(range === undefined ? {} : { range }) }
  if (/does not exist|Could not find/.test(sentence)) {
    return new PackageUnavailable({ reason: "missing", message: sentence, ...known })
  }
  const [, tampered] = /checksum did not match .* for (\S+)@/.exec(told) ?? []
  if (tampered !== undefined) {
    const message = `the archive of "${tampered}" does not have the checksum that its registry gives`
    return new PackageUnavailable({ reason: "refused", message, name: tampered })
  }
  return /error sending request|HTTP status|^error: Failed (loading|reading|caching|downloading)/m.test(told)
    ? new PackageUnavailable({
      reason: "unreachable",
      message: "the server can't fetch them from the registry, or can't store them",
      ...known
    })
    : new PackageUnavailable({ reason: "refused", message: sentence, ...known })
}
