import * as ModulePath from "@headwater/sandbox/ModulePath"
import { Effect, FileSystem, Option } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as CodeFile from "./CodeFile.ts"
import * as PackageFile from "./PackageFile.ts"

/** The file in which a component on disk begins. */
export interface ComponentEntry {
  /** The absolute path of its module. */
  readonly file: string
  /** Its name if its code gives none. */
  readonly name: string
  /** True if its file says that it is a workflow, as Python does, in which steps alone are written. */
  readonly isWorkflow: boolean
}

const workflow = "workflow"

const names = ["index", "source", "component", workflow]

const refuse = (message: string) => Effect.fail(new CommandRefused({ message }))

const ofFolder = Effect.fnUntraced(function*(shown: string, folder: string) {
  const described = yield* PackageFile.of(folder)
  const named = Option.getOrUndefined(Option.map(described, PackageFile.entry))
  if (named !== undefined) {
    const found = yield* CodeFile.firstOf(ModulePath.candidates(Path.resolve(folder, named)))
    if (Option.isSome(found)) return found.value
    return yield* refuse(`The package.json of ${shown} names ${named}, which does not exist`)
  }
  const called = [...new Set([...names, Path.basename(folder)])]
  const expected = called.flatMap((name) => CodeFile.codeExtensions.map((extension) => name + extension))
  const found = yield* Effect.filter(expected, (name) => CodeFile.isFile(Path.join(folder, name)))
  if (found.length === 1) return Path.join(folder, found[0]!)
  const looked = `${called.join(", ")} with ${CodeFile.codeExtensions.join(", ")}`
  return yield* refuse(
    found.length === 0
      ? `${shown} names no module in a package.json (exports or main) and has none of ${looked}`
      : `It is not clear which of ${found.join(", ")} in ${shown} is the component: name the file, ` +
        "or say so in its package.json (exports or main)"
  )
})

/** The component that a path leads to; none where there is no file and no folder. */
export const find = Effect.fnUntraced(function*(shown: string) {
  const files = yield* FileSystem.FileSystem
  const path = Path.resolve(shown)
  const info = yield* Effect.option(files.stat(path))
  if (Option.isNone(info)) return Option.none<ComponentEntry>()
  const file = info.value.type === "Directory" ? yield* ofFolder(shown, path) : path
  const type = CodeFile.typeOf(file)
  if (type === undefined || type === "json") {
    return yield* refuse(`${shown} is not a component: expected ${CodeFile.codeExtensions.join(", ")}, or a folder`)
  }
  const isNamed = Path.parse(file).name === workflow
  // A folder of that name says more than the file in it.
  const named = isNamed && file === path ? Path.dirname(path) : path
  return Option.some<ComponentEntry>({ file, name: Path.parse(named).name, isWorkflow: isNamed || type === "py" })
})
