import type { LinkedFile, ModuleImport, ModulePosition } from "@headwater/sandbox/BundlerProtocol"
import { ModuleBundler, ModuleFaulty } from "@headwater/sandbox/ModuleBundler"
import * as ModulePath from "@headwater/sandbox/ModulePath"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Context, Effect, FileSystem, Layer, Option } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as CodeFile from "./CodeFile.ts"
import * as PackageFile from "./PackageFile.ts"

/** A component's files as one module. */
export interface ComponentBundle {
  /** As it is in its file, where nothing of it has to change. */
  readonly code: string
  /** The specifiers that `code` imports, pinned: of packages, saved components and modules of the runtime. */
  readonly imports: ReadonlyArray<string>
  /** The places of `code` in the files that it was written in, by their paths from the current folder. */
  readonly place: SourcePlaces.SourcePlaces
}

/** Makes one module of a component's files on disk. */
export class ComponentFiles extends Context.Service<ComponentFiles, {
  /**
   * The module with what it imports by paths. Imports of packages stay, pinned to the range of the nearest `package.json`
   * above the file that has them.
   *
   * @param looked gets the absolute path of every file that was read or was not there
   */
  bundle(entry: string, looked: Set<string>): Effect.Effect<ComponentBundle, CommandRefused>
}>()("@headwater/cli/ComponentFiles") {
  static readonly layer = Layer.effect(ComponentFiles, Effect.suspend(() => make())).pipe(
    Layer.provide(ModuleBundler.layer)
  )
}

/** `file:line:column: message`, as compilers tell it. */
export const at = ({ column, file, line }: ModulePosition, message: string): string =>
  `${file}:${line}:${column}: ${message}`

const isPath = (specifier: string): boolean => /^(\.{0,2}\/|\.{1,2}$)/.test(specifier)

/** The name of a file in messages: as seen from the current folder, if it is below that. */
const nameOf = (file: string): string => {
  const relative = Path.relative("", file)
  return relative.startsWith("..") ? file : relative
}

const start = (file: string): ModulePosition => ({ file: nameOf(file), line: 1, column: 1 })

const utf8 = new TextDecoder("utf-8", { fatal: true })

const make = Effect.fnUntraced(function*() {
  const bundler = yield* ModuleBundler
  const fileSystem = yield* FileSystem.FileSystem

  const readText = (file: string) =>
    fileSystem.readFile(file).pipe(
      Effect.mapError(({ message }) => new ModuleFaulty({ message, at: start(file) })),
      Effect.flatMap((bytes) =>
        Effect.try({
          try: () => utf8.decode(bytes),
          catch: () => new ModuleFaulty({ message: "The file is not UTF-8 text", at: start(file) })
        })
      )
    )

  const read = Effect.fnUntraced(function*(file: string) {
    const type = CodeFile.typeOf(file)
    if (type === undefined) {
      const message = `The file is neither code (${CodeFile.codeExtensions.join(", ")}) nor .json`
      return yield* new ModuleFaulty({ message, at: start(file) })
    }
    return yield* bundler.read({ file: nameOf(file), type, text: yield* readText(file) })
  })

  const resolve = Effect.fnUntraced(function*(from: string, { at, specifier }: ModuleImport, looked: Set<string>) {
    const folder = Path.isAbsolute(specifier) ? "" : Path.dirname(from)
    // Joined, since resolving would take the slash off its end, which says that it is a folder.
    const candidates = ModulePath.candidates(Path.join(folder, specifier.replace(/(?<=^|\/)\.{1,2}$/, "$&/")))
    const found = yield* CodeFile.firstOf(candidates)
    if (Option.isSome(found)) return found.value
    for (const candidate of candidates) looked.add(candidate)
    return yield* new ModuleFaulty({ message: `There is no file ${JSON.stringify(specifier)}`, at })
  })

  const bundle = Effect.fnUntraced(function*(entry: string, looked: Set<string>) {
    const packages = new Map<string, Option.Option<PackageFile.PackageFile>>()
    const packageOf = Effect.fnUntraced(function*(folder: string) {
      const known = packages.get(folder)
      if (known !== undefined) return known
      const found = yield* PackageFile.above(folder)
      if (Option.isSome(found)) looked.add(found.value.path)
      packages.set(folder, found)
      return found
    })

    const files = new Map<string, LinkedFile>()
    const waiting = [entry]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (files.has(file)) continue
      looked.add(file)
      const { file: module, imports } = yield* read(file)
      const links: Array<readonly [string, string]> = []
      const outside: Array<readonly [string, string]> = []
      for (const each of imports) {
        const { specifier } = each
        if (isPath(specifier)) {
          const target = yield* resolve(file, each, looked)
          links.push([specifier, nameOf(target)])
          waiting.push(target)
        } else {
          const found = yield* packageOf(Path.dirname(file))
          outside.push([
            specifier,
            Option.match(found, { onNone: () => specifier, onSome: (_) => PackageFile.pinned(_, specifier) })
          ])
        }
      }
      files.set(file, { ...module, links, outside })
    }

    const imports = [...files.values()].flatMap(({ outside = [] }) => outside.map(([, then]) => then))
    const own = files.get(entry)!
    const isWhole = own.type !== "py" && own.links.length === 0 &&
      own.outside?.every(([specifier, then]) => specifier === then) === true
    if (isWhole) {
      return { code: own.text, imports, place: (line: number, column: number) => ({ file: own.file, line, column }) }
    }
    const made = yield* bundler.bundle({ entry: own.file, files: [...files.values()], standIns: {} })
    return { code: made.code, imports, place: SourcePlaces.make(made.map, start(entry)) }
  })

  return ComponentFiles.of({
    bundle: (entry, looked) =>
      bundle(entry, looked).pipe(
        Effect.catchTags({
          ModuleFaulty: (fault) => Effect.fail(new CommandRefused({ message: at(fault.at, fault.message) })),
          ModuleUnread: (fault) => Effect.fail(new CommandRefused({ message: at(fault.at, fault.message) }))
        }),
        Effect.provideService(FileSystem.FileSystem, fileSystem)
      )
  })
})
