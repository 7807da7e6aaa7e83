import { AccountSlots } from "@headwater/domain/AccountSlots"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import type { EgressHttp } from "@headwater/egress/EgressHttp"
import { Context, Duration, Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import type { PythonNeeds } from "./ComponentDescription.ts"
import { type IndexFile, make as makeIndex, type PackageIndex } from "./PackageIndex.ts"
import * as PythonRequirement from "./PythonRequirement.ts"
import * as WheelFile from "./WheelFile.ts"

/** A package can't be had: `refused` for good, or `unreachable` now. */
export class PythonPackageUnavailable
  extends Schema.TaggedError<PythonPackageUnavailable>()("PythonPackageUnavailable", {
    reason: Schema.Literals(["refused", "unreachable"]),
    message: Schema.String,
    /** The step whose code asks for it, and the line in this. */
    step: Schema.String,
    line: Schema.Int
  })
{}

/** A step in Python, and what its code needs. */
export interface StepNeeds {
  readonly step: string
  readonly needs: PythonNeeds
}

/** Wheels by the names of their files, in base64. */
export type Wheels = Readonly<Record<string, string>>

export interface PythonPackagesOptions {
  /** In place of the public index: its URL. */
  readonly index?: string
  /** Path of a PEM file with authorities to trust beside the public ones. */
  readonly extraCaFile?: string
}

const publicIndex = "https://pypi.org/simple/"

/** Bytes of all wheels of a component, and of their files. */
const mostBytes = 10 * 1024 * 1024
const mostUnpackedBytes = 64 * 1024 * 1024
const mostPackages = 60

const installedAtOnce = 2

/** For all packages of a component, once it is its turn. */
const installTime = Duration.minutes(2)

/** The packages that modules come from which are not called like them. */
const packageOf: Readonly<Record<string, string>> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  dateutil: "python-dateutil",
  docx: "python-docx",
  dotenv: "python-dotenv",
  faker: "Faker",
  github: "PyGithub",
  jose: "python-jose",
  jwt: "PyJWT",
  slack: "slackclient",
  telegram: "python-telegram-bot",
  yaml: "PyYAML"
}

/** Modules that the runtime has in place of packages. */
const ownModules = new Set(["requests", "urllib3", "pipedream", "pyodide", "js"])

/** A line of a step's code. */
interface Place {
  readonly step: string
  readonly line: number
}

interface Wanted {
  readonly requirement: PythonRequirement.PythonRequirement
  /** The package that requires it, unless the code does. */
  readonly by: string | undefined
  readonly at: Place
}

interface Chosen {
  readonly file: IndexFile
  readonly bytes: Buffer
  readonly wheel: WheelFile.Wheel
}

const refuse = (at: Place, message: string) => new PythonPackageUnavailable({ reason: "refused", message, ...at })

/** Chooses the wheels for the packages that code needs, with all that they need. */
class Choice {
  readonly chosen = new Map<string, Chosen>()
  /** The modules of the packages that were chosen. */
  readonly modules = new Set<string>()
  readonly #index: PackageIndex
  readonly #kept: ReadonlySet<string>
  #bytes = 0
  #unpackedBytes = 0

  /** @param kept names of files that come before newer ones */
  constructor(index: PackageIndex, kept: ReadonlySet<string>) {
    this.#index = index
    this.#kept = kept
  }

  add(first: Wanted): Effect.Effect<void, PythonPackageUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const waiting = [first]
      // It grows on the way.
      for (const wanted of waiting) {
        const { at, by, requirement: { extras, name, specifiers } } = wanted
        if (ownModules.has(name)) continue
        const before = this.chosen.get(name)
        if (before !== undefined) {
          if (PythonRequirement.allows(specifiers, before.file.version)) continue
          const message = `the package ${name} is needed in another version than ${before.file.version}` +
            (by === undefined ? "" : `, by ${by}`)
          return yield* refuse(at, message)
        }
        const { wheel } = yield* this.#take(wanted)
        for (const written of wheel.requires) {
          const requirement = PythonRequirement.parse(written)
          if (requirement === undefined) {
            const shown = written.slice(0, PythonRequirement.mostCharacters)
            return yield* refuse(at, `the package ${name} needs ${shown}, which is in no index`)
          }
          if (PythonRequirement.holds(requirement.marker, extras)) waiting.push({ requirement, by: name, at })
        }
      }
    })
  }

  #take({ at, by, requirement: { name, specifiers } }: Wanted): Effect.Effect<Chosen, PythonPackageUnavailable> {
    const needed = `the package ${name}${by === undefined ? "" : `, which ${by} needs,`}`
    return Effect.gen({ self: this }, function*() {
      const found = yield* this.#index.filesOf(name)
      if (found === undefined) return yield* refuse(at, `${needed} is not in the index`)
      const fitting = found.filter(({ requiresPython, version }) =>
        PythonRequirement.allows(specifiers, version) && PythonRequirement.allowsText(requiresPython, "3.14.2")
      )
      const file = fitting.find(({ filename }) => this.#kept.has(filename)) ??
        fitting.find(({ version }) => !PythonRequirement.isPrerelease(version)) ?? fitting[0]
      if (file === undefined) {
        const why = found.length > 0
          ? "has no version that fits"
          : "has no wheel that is pure Python, and only those can be installed"
        return yield* refuse(at, `${needed} ${why}`)
      }
      if (file.sha256 === undefined) {
        return yield* refuse(at, `the index gives no SHA-256 checksum of ${file.filename}`)
      }
      const bytes = yield* this.#index.download(file)
      const wheel = yield* Effect.try({
        try: () => WheelFile.read(bytes),
        catch: (error) => refuse(at, `${file.filename} can't be read: ${error instanceof Error ? error.message : ""}`)
      })
      this.#bytes += bytes.length
      this.#unpackedBytes += wheel.unpackedBytes
      if (this.#bytes > mostBytes || this.#unpackedBytes > mostUnpackedBytes || this.chosen.size >= mostPackages) {
        return yield* refuse(
          at,
          `${needed} is too much: a component has at most ${mostPackages} packages of Python, ` +
            `with ${mostBytes} bytes, or ${mostUnpackedBytes} unpacked`
        )
      }
      const chosen = { file, bytes, wheel }
      this.chosen.set(name, chosen)
      for (const module of wheel.modules) this.modules.add(module)
      return chosen
    }).pipe(
      Effect.catchTag(
        "IndexFailure",
        ({ message }) =>
          Effect.fail(new PythonPackageUnavailable({ reason: "unreachable", message: `${name}: ${message}`, ...at }))
      )
    )
  }
}

/**
 * Installs the Python packages of components: wheels of an index that are pure Python, which no installer has to build
 * and of which nothing is run here.
 */
export class PythonPackages extends Context.Service<PythonPackages, {
  /**
   * The wheels that the steps of a component need together.
   *
   * @param kept the names of wheels of an earlier version, which come before newer ones
   */
  install(steps: ReadonlyArray<StepNeeds>, kept: ReadonlyArray<string>): Effect.Effect<Wheels, PythonPackageUnavailable>
}>()("@headwater/sandbox/PythonPackages") {
  static readonly layer = (options: PythonPackagesOptions): Layer.Layer<PythonPackages, never, EgressHttp> =>
    Layer.effect(PythonPackages, make(options))
}

interface Asked {
  /** A requirement. */
  readonly written: string
  /** The module that is imported; none if a comment asks for the package. */
  readonly module: string | undefined
  readonly at: Place
}

/** All that steps ask for: what comments name comes before what is only imported. */
const askedBy = (steps: ReadonlyArray<StepNeeds>): ReadonlyArray<Asked> => [
  ...steps.flatMap(({ needs, step }) =>
    needs.packages.map(({ line, package: written }) => ({ written, module: undefined, at: { step, line } }))
  ),
  ...steps.flatMap(({ needs, step }) =>
    needs.imports.map(({ line, module }) => {
      const written = Object.hasOwn(packageOf, module) ? packageOf[module]! : module
      return { written, module, at: { step, line } }
    })
  )
]

/** The place at which a step asks for more packages than a component may have, if it does. */
const excessOf = ({ needs: { imports, packages }, step }: StepNeeds): Place | undefined => {
  const line = (packages[mostPackages] ?? imports[mostPackages])?.line
  return line === undefined ? undefined : { step, line }
}

const make = Effect.fnUntraced(function*({ extraCaFile, index: url = publicIndex }: PythonPackagesOptions) {
  const extraCa = extraCaFile === undefined ? undefined : yield* Effect.promise(() => Fs.readFile(extraCaFile, "utf8"))
  const index = yield* makeIndex({ url, ...(extraCa === undefined ? {} : { extraCa }) })
  const slots = new AccountSlots(installedAtOnce, 1)

  const install = Effect.fnUntraced(function*(steps: ReadonlyArray<StepNeeds>, kept: ReadonlyArray<string>) {
    for (const step of steps) {
      const at = excessOf(step)
      if (at !== undefined) return yield* refuse(at, `a component has at most ${mostPackages} packages of Python`)
    }
    const choice = new Choice(index, new Set(kept))
    for (const { at, module, written } of askedBy(steps)) {
      if (module !== undefined && (choice.modules.has(module) || ownModules.has(module))) continue
      const requirement = PythonRequirement.parse(written)
      if (requirement === undefined) {
        const why = written.length > PythonRequirement.mostCharacters
          ? `a requirement has at most ${PythonRequirement.mostCharacters} characters`
          : `${JSON.stringify(written)} names no package`
        return yield* refuse(at, why)
      }
      yield* choice.add({ requirement, by: undefined, at })
    }
    return Object.fromEntries(
      [...choice.chosen.values()].map(({ bytes, file }) => [file.filename, bytes.toString("base64")] as const)
    )
  })

  const inTime = (steps: ReadonlyArray<StepNeeds>) =>
    Effect.timeoutOrElse({
      duration: installTime,
      orElse: () => {
        const [first] = askedBy(steps)
        const message = `not all packages arrived within ${Duration.toSeconds(installTime)} seconds`
        return Effect.fail(new PythonPackageUnavailable({ reason: "unreachable", message, ...first!.at }))
      }
    })

  return PythonPackages.of({
    install: (steps, kept) =>
      Effect.flatMap(OnBehalfOf, (account) => slots.hold(account, inTime(steps)(install(steps, kept))))
  })
})

/** The name under which code that runs has the wheels of its steps in Python. */
const exported = "pythonWheels"

/** Code with the wheels that its steps in Python need, and the name by which a process knows these. */
export const withWheels = (code: string, wheels: Wheels): string => {
  const key = createHash("sha256").update(Object.keys(wheels).sort().join()).digest("hex").slice(0, 16)
  return `${code}\nexport const ${exported} = ${JSON.stringify({ key, files: wheels })}\n`
}
