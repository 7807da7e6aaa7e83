import { Effect, FileSystem, Option, Schema } from "effect"
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as CodeFile from "./CodeFile.ts"
import { at } from "./ComponentFiles.ts"

/** The compiler's findings; lines and columns count from 1, and files are as seen from the current folder. */
export interface TypeFault {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The compiler's number for it, such as `TS2322`. */
  readonly code: string
  readonly message: string
}

/** As compilers tell it. */
export const textOf = (fault: TypeFault): string => at(fault, `${fault.message} (${fault.code})`)

/** The project has no compiler. */
export class NoCompiler extends Schema.TaggedError<NoCompiler>()("NoCompiler", { folder: Schema.String }) {
  override get message() {
    return `${this.folder} has no TypeScript. Install it with: npm install --save-dev typescript @headwater/component`
  }
}

/** Of a project that says nothing else. */
const options = {
  target: "ES2024",
  module: "ESNext",
  moduleResolution: "Bundler",
  lib: ["ES2024", "DOM"],
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true
}

/** Of every check, whatever the project says: it writes nothing. */
const always = { noEmit: true, incremental: false, composite: false, allowJs: true }

const compilerOf = (folder: string): Option.Option<string> => {
  try {
    const { resolve } = createRequire(Path.join(folder, "package.json"))
    return Option.some(Path.join(Path.dirname(resolve("typescript/package.json")), "bin/tsc"))
  } catch {
    return Option.none()
  }
}

/** The project's own settings: those of the nearest `tsconfig.json` above the file. */
const settingsOf = Effect.fnUntraced(function*(file: string) {
  for (let folder = Path.dirname(file);; folder = Path.dirname(folder)) {
    const path = Path.join(folder, "tsconfig.json")
    if (yield* CodeFile.isFile(path)) return Option.some(path)
    if (Path.dirname(folder) === folder) return Option.none<string>()
  }
})

interface Ended {
  readonly code: number | null
  readonly output: string
}

const run = (compiler: string, settings: string) =>
  Effect.callback<Ended, CommandRefused>((resume) => {
    const child = spawn(process.execPath, [compiler, "--project", settings, "--pretty", "false"], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output += text)
    child.on("error", (error) => resume(Effect.fail(new CommandRefused({ message: error.message }))))
    child.on("close", (code) => resume(Effect.succeed({ code, output })))
    return Effect.sync(() => child.kill())
  })

const form = /^(?<file>.+)\((?<line>\d+),(?<column>\d+)\): error (?<code>TS\d+): (?<message>.*)$/

const faultsIn = (output: string): ReadonlyArray<TypeFault> =>
  output.split("\n").flatMap((text) => {
    const { code = "", column, file = "", line, message = "" } = form.exec(text)?.groups ?? {}
    return file === "" ? [] : [{ file, line: Number(line), column: Number(column), code, message }]
  })

/**
 * Has the project's own TypeScript check a file with what it imports, by the settings of the project, and answers what it
 * finds, in its order. JavaScript is only checked where it or the project asks for that (`// @ts-check`, `checkJs`).
 *
 * Fails with `NoCompiler` where the project has no TypeScript.
 */
export const check = Effect.fnUntraced(
  function*(file: string) {
    const entry = Path.resolve(file)
    const compiler = compilerOf(Path.dirname(entry))
    if (Option.isNone(compiler)) return yield* new NoCompiler({ folder: Path.dirname(file) })
    const files = yield* FileSystem.FileSystem
    const project = yield* settingsOf(entry)
    // Types of packages are looked for above the settings, and nothing of the author's is to be written over.
    const above = Path.resolve(compiler.value, "../../..", ".cache")
    yield* files.makeDirectory(above, { recursive: true })
    const folder = yield* files.makeTempDirectoryScoped({ directory: above, prefix: "headwater-check-" })
    const settings = Path.join(folder, "tsconfig.json")
    const content = {
      ...Option.match(project, { onNone: () => ({}), onSome: (path) => ({ extends: path }) }),
      compilerOptions: { ...(Option.isNone(project) ? options : {}), ...always },
      files: [entry],
      include: []
    }
    yield* files.writeFileString(settings, JSON.stringify(content))
    const { code, output } = yield* run(compiler.value, settings)
    const faults = faultsIn(output)
    if (code !== 0 && faults.length === 0) {
      return yield* new CommandRefused({ message: `TypeScript can't check ${file}: ${output.trim()}` })
    }
    return faults
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", ({ message }) => Effect.fail(new CommandRefused({ message })))
)
