import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import * as Fs from "node:fs/promises"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { type ModuleImport, type ModulePosition, replacedBuiltins } from "./BundlerProtocol.ts"
import * as LargeImports from "./LargeImports.ts"
import { type Bundle, ModuleBundler, ModuleFaulty, type ModuleUnread } from "./ModuleBundler.ts"
import { Packages } from "./Packages.ts"
import * as PackageSpecifier from "./PackageSpecifier.ts"
import * as RegistrySpecifier from "./RegistrySpecifier.ts"
import * as SourcePlaces from "./SourcePlaces.ts"
import { moduleName } from "./SourcePlaces.ts"
import { standIns } from "./StandIns.ts"

const commonName = "component.cjs"

/** Packages that no component can use, with what to do instead. */
const refusedPackages: Readonly<Record<string, string>> = {
  "@pipedream/browsers":
    "it starts a browser, which no sandbox can: have a browser do it that runs elsewhere, and ask that over HTTP"
}

/** More than any component needs, of packages and of saved components: each is asked for. */
const maxImports = 100

/** A module that the sandbox can run, with the versions of the packages and saved components that became part of it. */
export interface LinkedModule extends Pick<Bundle, "code" | "map"> {
  readonly lock?: string
  readonly components?: ReadonlyArray<string>
}

/** A saved component that a module imports by its key. */
export interface ImportedComponent {
  readonly version: string
  /** A module that the sandbox can run. */
  readonly code: string
}

export interface LinkOptions<E> {
  /** The module's earlier version, which keeps the packages and components that both import as they were. */
  readonly previous: Omit<LinkedModule, "code" | "map"> | undefined
  /** Finds the saved component that the code's account means by a key. */
  readonly componentOf: (
    specifier: RegistrySpecifier.RegistrySpecifier
  ) => Effect.Effect<Option.Option<ImportedComponent>, E>
}

/** The registry of packages can't be reached. */
export class PackagesUnreachable extends Schema.TaggedError<PackagesUnreachable>()("PackagesUnreachable", {
  message: Schema.String
}) {}

export type LinkFailure = ModuleFaulty | ModuleUnread | PackagesUnreachable

/**
 * Makes of a component's module one that the sandbox can run: TypeScript and CommonJS become what it understands, Node's
 * own modules get the names under which it has them, and npm packages, saved components and what has a stand-in become
 * part of it.
 */
export class ModuleLinker extends Context.Service<ModuleLinker, {
  /** None where the module can run as it is. */
  link<E>(text: string, options: LinkOptions<E>): Effect.Effect<Option.Option<LinkedModule>, LinkFailure | E>
  /** The position of something of the definition that code exports which the sandbox can run; none if it is not found. */
  readonly place: ModuleBundler["Service"]["place"]
  /** A module whose default export is that of a package's module, in the version that is the newest now. */
  pin(specifier: PackageSpecifier.PackageSpecifier): Effect.Effect<string, LinkFailure>
}>()("@headwater/sandbox/ModuleLinker") {
  static readonly layer: Layer.Layer<ModuleLinker, never, Packages> = Layer.effect(
    ModuleLinker,
    Effect.suspend(() => make())
  ).pipe(Layer.provide(ModuleBundler.layer))
}

interface PackageImport {
  readonly specifier: string
  readonly at: ModulePosition
  readonly package: PackageSpecifier.PackageSpecifier
}

const packagesOf = (imports: ReadonlyArray<ModuleImport>): ReadonlyArray<PackageImport> =>
  imports.flatMap(({ at, specifier }) => {
    const found = isBuiltin(specifier) ? undefined : PackageSpecifier.parse(specifier)
    return found === undefined || Object.hasOwn(standIns, found.name) ? [] : [{ specifier, at, package: found }]
  })

/** The components that imports mean, each under its key and version. */
const importComponents = <E>(
  imports: ReadonlyArray<ModuleImport>,
  kept: ReadonlyArray<string>,
  componentOf: LinkOptions<E>["componentOf"]
) => {
  let characters = 0
  return Effect.forEach(
    imports,
    Effect.fnUntraced(function*({ at, specifier }) {
      const faulty = (why: string) => new ModuleFaulty({ message: `${JSON.stringify(specifier)} ${why}`, at })
      const asked = RegistrySpecifier.parse(specifier)
      if (asked === undefined) return yield* faulty("is not of the form registry:<key> or registry:<key>@<version>")
      const before = kept.map(RegistrySpecifier.parse).find((each) => each?.key === asked.key)
      const isKept = asked.version === undefined && before !== undefined
      const earlier = isKept ? yield* componentOf(before) : Option.none()
      const found = Option.isSome(earlier) ? earlier : yield* componentOf(asked)
      if (Option.isNone(found)) return yield* faulty("is neither a component of the account nor one in the registry")
      const { code, version } = found.value
      characters += code.length
      if (characters > LargeImports.maxCharacters) {
        return yield* faulty(`is too large: imports take at most ${LargeImports.maxCharacters} characters together`)
      }
      return { specifier, code, name: RegistrySpecifier.format({ key: asked.key, version }) }
    })
  )
}

const make = Effect.fnUntraced(function*() {
  const bundler = yield* ModuleBundler
  const packages = yield* Packages

  const install = (imports: ReadonlyArray<PackageImport>, lock: string | undefined) =>
    packages.install(imports.map((each) => each.package), lock).pipe(
      Effect.mapError(({ message, name, range, reason }) => {
        if (reason === "unreachable") return new PackagesUnreachable({ message })
        const ofName = imports.filter((each) => each.package.name === name)
        const by = ofName.find((each) => each.package.range === range) ?? ofName[0] ?? imports[0]
        const what = by === undefined ? "" : `${JSON.stringify(by.specifier)} can't be installed: `
        return new ModuleFaulty({ message: what + message, at: by?.at ?? SourcePlaces.start })
      })
    )

  return ModuleLinker.of({
    place: bundler.place,
    link: Effect.fnUntraced(function*(text, { componentOf, previous }) {
      const read = yield* bundler.read({ file: moduleName, type: "js", text }).pipe(
        Effect.asSome,
        // The fault is told best by the process that loads it.
        Effect.catchTag("ModuleFaulty", () => Effect.succeedNone)
      )
      if (Option.isNone(read)) return Option.none()
      const { file, imports, isCommon } = read.value
      const isFound = imports.every(({ specifier }) =>
        specifier.startsWith("node:") && !replacedBuiltins.includes(specifier.slice("node:".length))
      )
      if (file.type === "js" && !isCommon && isFound) return Option.none()
      // The bundler goes by the name to tell the two kinds of module apart.
      const entry = isCommon ? commonName : moduleName
      const own = packagesOf(imports)
      const saved = imports.filter(({ specifier }) => RegistrySpecifier.is(specifier))
      const beyond = own[maxImports] ?? saved[maxImports]
      if (beyond !== undefined) {
        const message = `The component imports over ${maxImports} packages or saved components`
        return yield* new ModuleFaulty({ message, at: beyond.at })
      }
      const components = yield* importComponents(saved, previous?.components ?? [], componentOf)
      const files = [
        { ...file, file: entry, links: components.map(({ name, specifier }) => [specifier, name] as const) },
        ...components.map(({ code, name }) => ({ file: name, type: "js" as const, text: code, links: [] }))
      ]
      const task = { entry, files: Array.from(new Map(files.map((each) => [each.file, each])).values()), standIns }
      // An import that names its version needs none to be kept.
      const kept = components.filter(({ name, specifier }) => name !== specifier).map(({ name }) => name)
      const withComponents = components.length === 0 ? {} : { components: kept }
      const refused = own.find((each) => Object.hasOwn(refusedPackages, each.package.name))
      if (refused !== undefined) {
        const { at, package: { name }, specifier } = refused
        const message = `${JSON.stringify(specifier)} can't be used: ${refusedPackages[name]}`
        return yield* new ModuleFaulty({ message, at })
      }
      if (own.length === 0) return Option.some({ ...linkedOf(yield* bundler.bundle(task)), ...withComponents })
      const attempt = Effect.fnUntraced(function*(
        undeclared: ReadonlyArray<string>
      ): Effect.fn.Return<LinkedModule, LinkFailure, Scope.Scope> {
        const all = [...own, ...packagesOf(undeclared.map((specifier) => ({ specifier, at: own[0]!.at })))]
        const { folder, lock, nameOf } = yield* install(all, previous?.lock)
        const names = Object.fromEntries(
          own.map((each) => [each.specifier, nameOf(each.package) + each.package.subpath])
        )
        const bundle = yield* bundler.bundle({ ...task, packages: { folder, names } })
        const missing = bundle.undeclared.filter((each) => !undeclared.includes(each))
        return missing.length === 0
          ? { ...linkedOf(bundle), ...withComponents, lock }
          : yield* attempt([...undeclared, ...missing])
      })
      return Option.some(yield* attempt([]))
    }, Effect.scoped),
    pin: Effect.fnUntraced(function*(specifier) {
      const written = PackageSpecifier.format(specifier)
      if (Object.hasOwn(standIns, specifier.name)) {
        return yield* new ModuleFaulty({
          message: `${JSON.stringify(written)} is a package for components to import, not a component`,
          at: SourcePlaces.start
        })
      }
      const installed = yield* install([{ specifier: written, at: SourcePlaces.start, package: specifier }], undefined)
      const version = yield* Effect.promise(() => versionIn(join(installed.folder, "node_modules", specifier.name)))
      return `export { default } from ${JSON.stringify(PackageSpecifier.format({ ...specifier, range: version }))}\n`
    }, Effect.scoped)
  })
})

/** The map names the module as it is known, whatever the bundler knew it by. */
const linkedOf = ({ code, map }: Bundle): LinkedModule => ({
  code,
  map: SourcePlaces.renamed(map, commonName, moduleName)
})

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const versionIn = async (folder: string): Promise<string> =>
  Schema.decodeSync(Manifest)(await Fs.readFile(join(folder, "package.json"), "utf8")).version
