import * as Problem from "@headwater/api/Problem"
import { CodeText, textUpTo } from "@headwater/api/Text"
import {
  type Component,
  type ConfigurableProp,
  interfaceTypes,
  type LinkedCode,
  nameless,
  type Step,
  withoutOddLabels
} from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import { Components } from "@headwater/log/resources/Components"
import type { ProgramKind } from "@headwater/log/resources/Programs"
import type { ComponentDescription, DefinitionPath } from "@headwater/sandbox/ComponentDescription"
import * as LargeImports from "@headwater/sandbox/LargeImports"
import { ModuleLinker } from "@headwater/sandbox/ModuleLinker"
import { PythonPackages, withWheels } from "@headwater/sandbox/PythonPackages"
import type { RegistrySpecifier } from "@headwater/sandbox/RegistrySpecifier"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Clock, Effect, Option, Result, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import {
  CodeFault,
  type Fault,
  type Place,
  placeThrough,
  retryAfterSeconds,
  unlinkable,
  unusable
} from "./CodeFault.ts"
import { type CodeRead, RecentCode } from "./RecentCode.ts"

/** The key is indexed and slugs are made of the name: an entry of an index has to fit a third of a page. */
const maxLabelLength = 500

const isLabel = Schema.is(textUpTo(maxLabelLength))
const isCodeText = Schema.is(CodeText)

/** The name under which the sandbox loads code that belongs to no account. */
const registry = "registry"

/** A component, and where its code was written, while that is known. */
export interface SavedComponent {
  readonly component: Component
  readonly place: Place
}

/** A component that is not saved, and what else its code says. */
export interface LoadedComponent extends SavedComponent {
  readonly methods: ReadonlyArray<string>
}

export interface Code {
  readonly text: string
  readonly url: string | null
  readonly place: Place
  /** The component in whose place this one comes. */
  readonly previous: Component | undefined
  readonly kind?: ProgramKind
}

/** Reads component code: it is linked with what it imports, and the sandbox says what it is. Nothing is saved. */
export const make = Effect.gen(function*() {
  const components = yield* Components
  const sandbox = yield* Sandbox
  const digest = yield* Digest.Digest
  const random = yield* SecureRandom.SecureRandom
  const linker = yield* ModuleLinker
  const python = yield* PythonPackages
  const recent = new RecentCode()

  const hashOf = (text: string) => digest.digestHex(Digest.sha256, new TextEncoder().encode(text))

  /** The component of a key that an account means: its own before that of the registry. */
  const ofKey = (accountId: Id.AccountId | null) =>
    Effect.fnUntraced(function*({ key, version }: RegistrySpecifier) {
      const own = accountId === null ? Option.none() : yield* components.newestByKey(accountId, key, version)
      const found = Option.isSome(own) ? own : yield* components.newestPublished(key, version)
      return Option.map(found, ({ code, linked, version }) => ({ version, code: linked?.code ?? code }))
    })

  const link = Effect.fnUntraced(function*(accountId: Id.AccountId | null, { place, previous, text }: Code) {
    const options = { previous: previous?.linked ?? undefined, componentOf: ofKey(accountId) }
    const linked = yield* Effect.catchTag(
      linker.link(text, options),
      ["ModuleFaulty", "ModuleUnread", "PackagesUnreachable"],
      (failure) => Effect.fail(unlinkable(place)(failure))
    )
    if (Option.isNone(linked)) return null
    const { code } = linked.value
    if (code.length > LargeImports.maxCharacters) {
      return yield* Problem.tooLarge("The code, with its imports,", LargeImports.maxCharacters)
    }
    const stored: LinkedCode = { ...linked.value, hash: yield* hashOf(code) }
    if (Buffer.byteLength(JSON.stringify(stored)) > LargeImports.maxStoredBytes) {
      return yield* Problem.tooLarge("The code, with its imports and source map,", LargeImports.maxStoredBytes)
    }
    return stored
  })

  /** The code with the packages that its steps in Python need. */
  const installPython = Effect.fnUntraced(function*(
    { previous, text }: Code,
    linked: LinkedCode | null,
    isKnown: boolean,
    { steps = [] }: ComponentDescription
  ) {
    const needing = steps.flatMap(({ name, needs }) => needs === undefined ? [] : [{ step: name, needs }])
    if (isKnown || needing.every(({ needs: { imports, packages } }) => imports.length + packages.length === 0)) {
      return linked
    }
    const wheels = yield* Effect.catchTag(
      python.install(needing, previous?.linked?.wheels ?? []),
      "PythonPackageUnavailable",
      ({ line, message, reason, step }) =>
        Effect.fail(
          reason === "unreachable"
            ? Problem.unavailable(`The server can't install Python packages now: ${message}.`, retryAfterSeconds)
            : new CodeFault({ message, file: `${step}.py`, line, column: 1, reason: "package" })
        )
    )
    if (Object.keys(wheels).length === 0) return linked
    const code = withWheels(linked?.code ?? text, wheels)
    if (code.length > LargeImports.maxCharacters) {
      return yield* Problem.tooLarge("The code, with its packages,", LargeImports.maxCharacters)
    }
    const map = linked?.map ?? SourcePlaces.unchanged(text)
    return { ...linked, code, hash: yield* hashOf(code), map, wheels: Object.keys(wheels) } satisfies LinkedCode
  })

  /** The code with what it imports, and what it says that it is. */
  const load = Effect.fnUntraced(function*(accountId: Id.AccountId | null, code: Code, codeHash: string) {
    const { kind = "source", place, text } = code
    // The same code again means the same packages, also where they can't be had any more.
    const before = accountId === null ? Option.none() : yield* components.lockedCode(accountId, codeHash)
    const linked = Option.isSome(before) ? before.value : yield* link(accountId, code)
    const refuse = Effect.fnUntraced(
      function*({ column, file, line, message, path, reason = "definition" }: Fault) {
        // Of another language, which has lines of its own.
        if (file !== undefined && file !== SourcePlaces.moduleName) {
          return yield* new CodeFault({ message, file, line: line ?? 1, column: column ?? 1, reason })
        }
        const at = line !== undefined || path === undefined
          ? { line, column }
          : Option.getOrElse(yield* linker.place(linked?.code ?? text, path), () => ({}))
        return yield* unusable({ ...at, message }, placeThrough(linked, place), reason)
      }
    )
    const description = yield* sandbox.inspect({
      accountId: accountId ?? registry,
      isOwn: accountId === null,
      kind,
      module: linked ?? { code: text, hash: codeHash }
    }).pipe(
      Effect.catchTag("ComponentInvalid", (fault) => refuse(fault))
    )
    const withPackages = yield* installPython(code, linked, Option.isSome(before), description)
    yield* checkLabels(description, place)
    const misplaced = kind === "workflow" ? misplacedProp(description) : undefined
    if (misplaced !== undefined) return yield* refuse(misplaced)
    const batch = description.batch === undefined
      ? Result.succeed(null)
      : SubscriptionBatch.declared(description.batch)
    if (Result.isFailure(batch)) return yield* refuse({ message: batch.failure, path: ["batch"] })
    const configurableProps = description.props.map(withoutOddLabels).map(withoutNeedlessAccount(linked?.code ?? text))
    return { linked: withPackages, description, configurableProps, batch: batch.success } satisfies CodeRead
  })

  /** The component that the code is, not saved yet. */
  const read = Effect.fnUntraced(function*(accountId: Id.AccountId | null, code: Code) {
    const { kind = "source", place, previous, text, url } = code
    const codeHash = yield* hashOf(text)
    const loading = load(accountId, code, codeHash)
    const { batch, configurableProps, description, linked } = accountId === null
      ? yield* loading
      : yield* recent.of([accountId, kind, codeHash, previous?.id].join(), loading)
    const { key, name, steps = [], type, version } = description
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const component: Component = {
      id: Id.ComponentId.make(yield* newId("component")),
      accountId,
      key: key ?? null,
      code: text,
      codeHash,
      linked,
      name: name ?? key ?? (kind === "workflow" ? "Workflow" : nameless),
      version: version ?? "0.0.0",
      type: type ?? null,
      description: description.description ?? null,
      url,
      dedupe: description.dedupe ?? null,
      batch,
      hooks: description.hooks,
      hasAdditionalProps: description.hasAdditionalProps,
      configurableProps,
      steps: kind === "source" ? null : yield* Effect.forEach(steps, (step) => stepOf(step, previous)),
      createdAt: now,
      updatedAt: now
    }
    return { component, place, methods: description.methods ?? [] }
  })

  const newId = <K extends Id.Kind>(kind: K) => Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)

  const stepOf = Effect.fnUntraced(function*(step: Omit<Step, "id">, previous: Component | undefined) {
    const known = previous?.steps?.find(({ name }) => name === step.name)
    const { lang, name } = step
    return { id: known?.id ?? Id.StepId.make(yield* newId("step")), name, ...(lang === undefined ? {} : { lang }) }
  })

  return { hashOf, read }
})

/** Refuses what can't be stored as it is. */
const checkLabels = Effect.fnUntraced(function*(
  { description, key, name, steps = [], type, version }: ComponentDescription,
  place: Place
) {
  const stepNames = steps.map(({ name }) => [`the name of the step ${JSON.stringify(name)}`, name] as const)
  for (const [field, text] of [...Object.entries({ key, name, type, version }), ...stepNames]) {
    if (text !== undefined && !isLabel(text)) {
      const message =
        `${field} is longer than ${maxLabelLength} characters, or contains a NUL character or half a surrogate pair`
      return yield* unusable({ message }, place, "label")
    }
  }
  if (description !== undefined && !isCodeText(description)) {
    const message = "description contains a NUL character or half a surrogate pair"
    return yield* unusable({ message }, place, "label")
  }
})

/** A prop of a workflow that only sources can have, or only the workflow as a whole. */
const misplacedProp = ({ props }: ComponentDescription): Fault | undefined => {
  const inner = props.find(({ name, type }) => name.includes(".") && isOfWhole(type))
  if (inner !== undefined) {
    const message = `the prop ${JSON.stringify(inner.name)} is an interface, which only the workflow itself has`
    return { message, path: pathOfProp(inner.name) }
  }
  const apphook = props.find(({ type }) => type === interfaceTypes.apphook)
  if (apphook === undefined) return undefined
  const message = `the prop ${JSON.stringify(apphook.name)} is an apphook, which only sources can have`
  return { message, path: pathOfProp(apphook.name) }
}

/** Code that nowhere reads credentials runs without an account, as that of apps such as `rss` does. */
const withoutNeedlessAccount = (code: string) => (prop: ConfigurableProp): ConfigurableProp =>
  prop.type === "app" && prop["optional"] === undefined && !code.includes("$auth") ? { ...prop, optional: true } : prop

/** The place where a workflow declares a prop. The name of a step's prop begins with the name of the step. */
const pathOfProp = (name: string): DefinitionPath => {
  const [step = "", ...prop] = name.split(".")
  return prop.length === 0 ? ["props", name] : ["steps", step, "props", prop.join(".")]
}

/** Props through which a source or workflow as a whole is reached and timed. */
const isOfWhole = (type: string): boolean => type.startsWith("$.interface.")
