import type { ComponentResource } from "@headwater/api/ComponentsApi"
import * as Problem from "@headwater/api/Problem"
import { CodeText, textUpTo } from "@headwater/api/Text"
import { WebhookUrl } from "@headwater/api/WebhookUrl"
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
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import { version } from "@headwater/domain/Version"
import { Components, type ShownComponent } from "@headwater/log/resources/Components"
import type { ProgramKind } from "@headwater/log/resources/Programs"
import { type ComponentDescription, componentFault, type DefinitionPath } from "@headwater/sandbox/ComponentDescription"
import * as LargeImports from "@headwater/sandbox/LargeImports"
import { type LinkFailure, ModuleLinker } from "@headwater/sandbox/ModuleLinker"
import * as PackageSpecifier from "@headwater/sandbox/PackageSpecifier"
import { PythonPackages, withWheels } from "@headwater/sandbox/PythonPackages"
import type { RegistrySpecifier } from "@headwater/sandbox/RegistrySpecifier"
import { RemoteModules } from "@headwater/sandbox/RemoteModules"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { answerFailures } from "./http/conventions/FailureProblem.ts"
import { HttpSettings } from "./http/conventions/HttpSettings.ts"

/** The key is indexed and slugs are made of the name: an entry of an index has to fit a third of a page. */
const maxLabelLength = 500

const isLabel = Schema.is(textUpTo(maxLabelLength))
const isCodeText = Schema.is(CodeText)
const isWebUrl = Schema.is(WebhookUrl)

/** Files of one component together, in sizes of the largest code: comments and what is not used don't reach the code. */
const filesPerCode = 4

/** The pause before another try when the registry of packages can't be reached. */
const retryAfterSeconds = 30

/** The name under which the sandbox loads code that belongs to no account. */
const registry = "registry"

type LoadingProblem =
  | Problem.InvalidRequest
  | Problem.PayloadTooLarge
  | Problem.Unavailable
  | Problem.InternalError

type SavingProblem = LoadingProblem | Problem.ComponentInvalid

/** The code is not a usable component. */
export class CodeFault extends Schema.TaggedError<CodeFault>()("CodeFault", {
  ...Problem.CodePosition.fields,
  /** `package`: an import from outside of the code; `label`: a name that can't be stored. */
  reason: Schema.Union([componentFault.reason, Schema.Literals(["package", "label"])])
}) {}

/** Maps a place in a component's code to the place where it was written; lines and columns count from 1. */
export type Place = (line: number, column: number) => Required<Pick<Position, "file" | "line" | "column">>

type Position = typeof Problem.CodePosition.Type

/** The reason why code is no component, with its place in the code that runs, or in the definition. */
interface Fault extends Pick<Position, "message"> {
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** The file that it is in, if that is not the component's own. */
  readonly file?: string | undefined
  readonly path?: DefinitionPath | undefined
  readonly reason?: CodeFault["reason"]
}

/** In the code itself. */
export const inCode: Place = (line, column) => ({ file: SourcePlaces.moduleName, line, column })

/** A component, and where its code was written, while that is known. */
export interface SavedComponent {
  readonly component: Component
  readonly place: Place
}

/** A component that is not saved, and what else its code says. */
export interface LoadedComponent extends SavedComponent {
  readonly methods: ReadonlyArray<string>
}

interface Code {
  readonly text: string
  readonly url: string | null
  readonly place: Place
  /** The component in whose place this one comes. */
  readonly previous: Component | undefined
  readonly kind?: ProgramKind
}

/** Details of code, beside its text. */
export interface CodeDetails {
  /** The URL where the code is hosted, kept as metadata. */
  readonly url?: string | undefined
  /** The component in whose place this one comes; packages that both import stay in their versions. */
  readonly previous?: Component | undefined
  /** The kind of program that the code is for; a source where left out. */
  readonly kind?: ProgramKind
}

/** Saves component code, after the sandbox has loaded it and said what it is. */
export class ComponentSaving extends Context.Service<ComponentSaving, {
  /** Says what code is, and saves nothing. */
  readonly load: (
    accountId: Id.AccountId,
    code: string,
    details: CodeDetails
  ) => Effect.Effect<LoadedComponent, CodeFault | LoadingProblem>
  /** The same of code that is fetched as by `saveFrom`. */
  readonly loadFrom: (
    accountId: Id.AccountId,
    url: string,
    details: Omit<CodeDetails, "url">
  ) => Effect.Effect<LoadedComponent, CodeFault | LoadingProblem>
  readonly save: (
    accountId: Id.AccountId,
    code: string,
    details: CodeDetails
  ) => Effect.Effect<SavedComponent, SavingProblem>
  /** Fetches the code, with what it imports from the same origin, or takes it from an npm package (`npm:name@version/path`). */
  readonly saveFrom: (
    accountId: Id.AccountId,
    url: string,
    details: Omit<CodeDetails, "url">
  ) => Effect.Effect<SavedComponent, SavingProblem>
  /** Adds code to the registry under its key, unless it is there as the newest version. */
  readonly publish: (key: string, code: string) => Effect.Effect<Component, SavingProblem>
}>()("@headwater/server/ComponentSaving") {
  static readonly layer = Layer.effect(
    ComponentSaving,
    Effect.gen(function*() {
      const components = yield* Components
      const sandbox = yield* Sandbox
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      const modules = yield* RemoteModules
      const linker = yield* ModuleLinker
      const python = yield* PythonPackages
      const { maxCode } = yield* HttpSettings

      const hashOf = (text: string) => digest.digestHex(Digest.sha256, new TextEncoder().encode(text))

      const checkSize = (field: string, text: string) =>
        new TextEncoder().encode(text).length > maxCode
          ? Effect.fail(Problem.tooLarge(field, maxCode, "HEADWATER_MAX_CODE"))
          : Effect.void

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

      /** The component that the code is, not saved yet. */
      const read = Effect.fnUntraced(function*(accountId: Id.AccountId | null, code: Code) {
        const { kind = "source", place, previous, text, url } = code
        const codeHash = yield* hashOf(text)
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
        const { key, name, steps = [], type, version } = description
        const stepNames = steps.map(({ name }) => [`the name of the step ${JSON.stringify(name)}`, name] as const)
        for (const [field, text] of [...Object.entries({ key, name, type, version }), ...stepNames]) {
          if (text !== undefined && !isLabel(text)) {
            const message =
              `${field} is longer than ${maxLabelLength} characters, or contains a NUL character or half a surrogate pair`
            return yield* unusable({ message }, place, "label")
          }
        }
        if (description.description !== undefined && !isCodeText(description.description)) {
          return yield* unusable(
            { message: "description contains a NUL character or half a surrogate pair" },
            place,
            "label"
          )
        }
        const misplaced = description.props.find(({ name, type }) => name.includes(".") && isOfWhole(type))
        if (kind === "workflow" && misplaced !== undefined) {
          const message = `the prop ${
            JSON.stringify(misplaced.name)
          } is an interface, which only the workflow itself has`
          return yield* refuse({ message, path: pathOfProp(misplaced.name) })
        }
        const apphook = description.props.find(({ type }) => type === interfaceTypes.apphook)
        if (kind === "workflow" && apphook !== undefined) {
          const message = `the prop ${JSON.stringify(apphook.name)} is an apphook, which only sources can have`
          return yield* refuse({ message, path: pathOfProp(apphook.name) })
        }
        const batch = description.batch === undefined
          ? Result.succeed(null)
          : SubscriptionBatch.declared(description.batch)
        if (Result.isFailure(batch)) return yield* refuse({ message: batch.failure, path: ["batch"] })
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const component: Component = {
          id: Id.ComponentId.make(yield* newId("component")),
          accountId,
          key: key ?? null,
          code: text,
          codeHash,
          linked: withPackages,
          name: name ?? key ?? (kind === "workflow" ? "Workflow" : nameless),
          version: version ?? "0.0.0",
          type: type ?? null,
          description: description.description ?? null,
          url,
          dedupe: description.dedupe ?? null,
          batch: batch.success,
          hooks: description.hooks,
          hasAdditionalProps: description.hasAdditionalProps,
          configurableProps: description.props.map(withoutOddLabels).map(withoutNeedlessAccount(linked?.code ?? text)),
          steps: kind === "source" ? null : yield* Effect.forEach(steps, (step) => stepOf(step, previous)),
          createdAt: now,
          updatedAt: now
        }
        return { component, place, methods: description.methods ?? [] }
      })

      const newId = <K extends Id.Kind>(kind: K) =>
        Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)

      const stepOf = Effect.fnUntraced(function*(step: Omit<Step, "id">, previous: Component | undefined) {
        const known = previous?.steps?.find(({ name }) => name === step.name)
        const { lang, name } = step
        return { id: known?.id ?? Id.StepId.make(yield* newId("step")), name, ...(lang === undefined ? {} : { lang }) }
      })

      const load: ComponentSaving["Service"]["load"] = Effect.fnUntraced(
        function*(accountId, text, { kind = "source", previous, url }) {
          yield* checkSize(`${parameterOf[kind]}_code`, text)
          return yield* read(accountId, { text, url: url ?? null, place: inCode, previous, kind })
        },
        onBehalf,
        answerFailures
      )

      const loadFrom: ComponentSaving["Service"]["loadFrom"] = Effect.fnUntraced(
        function*(accountId, url, { kind = "source", previous }) {
          const parameter = `${parameterOf[kind]}_url`
          const invalidUrl = (message: string) => Problem.invalid([{ path: parameter, message }])
          if (url.startsWith("npm:")) {
            const specifier = PackageSpecifier.parse(url)
            if (specifier === undefined) return yield* invalidUrl("expected npm:<package>[@version]/<path>")
            const text = yield* Effect.mapError(linker.pin(specifier), unlinkable(inCode))
            return yield* read(accountId, { text, url, place: inCode, previous, kind })
          }
          if (!isWebUrl(url)) {
            return yield* invalidUrl(
              "expected a URL with the protocol http or https and a hostname, or npm:<package>[@version]/<path>"
            )
          }
          const { code, place } = yield* modules.load({
            accountId,
            url,
            maxBytes: filesPerCode * maxCode,
            userAgent: `Headwater/${version}`
          }).pipe(Effect.catchTags({
            RemoteUrlRefused: ({ message }) => Effect.fail(invalidUrl(message)),
            RemoteModulesTooLarge: ({ limitBytes }) =>
              Effect.fail(Problem.tooLarge(`The module at ${parameter}, with its imports,`, limitBytes)),
            ModuleFaulty: ({ at, message }) => Effect.fail(new CodeFault({ message, ...at, reason: "import" })),
            ModuleUnread: ({ at, message }) => Effect.fail(new CodeFault({ message, ...at, reason: "import" }))
          }))
          yield* checkSize(`The code of ${parameter}`, code)
          return yield* read(accountId, { text: code, url, place, previous, kind })
        },
        onBehalf,
        answerFailures
      )

      const keep = (loading: Effect.Effect<LoadedComponent, CodeFault | LoadingProblem>) =>
        loading.pipe(
          Effect.tap(({ component }) => components.insert(component)),
          answerFailures,
          Effect.catchTag("CodeFault", (fault) => Effect.fail(componentInvalid(fault)))
        )

      return ComponentSaving.of({
        load,
        loadFrom,
        save: (accountId, text, details) => keep(load(accountId, text, details)),
        saveFrom: (accountId, url, details) => keep(loadFrom(accountId, url, details)),
        publish: Effect.fnUntraced(
          function*(key, code) {
            const newest = yield* components.newestPublished(key)
            if (Option.isSome(newest) && newest.value.codeHash === (yield* hashOf(code))) return newest.value
            const { component } = yield* read(null, { text: code, url: null, place: inCode, previous: undefined })
            if (component.key !== key) return yield* unusable({ message: `its key is not ${key}` }, inCode, "label")
            return (yield* components.publish({ ...component, accountId: null, key })).component
          },
          (effect) =>
            effect.pipe(answerFailures, Effect.catchTag("CodeFault", (fault) => Effect.fail(componentInvalid(fault))))
        )
      })
    })
  ).pipe(Layer.provide([RemoteModules.layer(), ModuleLinker.layer]))
}

const onBehalf = <A, E, R>(effect: Effect.Effect<A, E, R>, accountId: Id.AccountId): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, OnBehalfOf, accountId)

/** The first part of the names of parameters with code in requests. */
const parameterOf = { source: "component", workflow: "workflow" } as const

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

/** The problem of code that a client asked to be used. */
export const componentInvalid = ({ column, file, line, message }: CodeFault): Problem.ComponentInvalid => {
  const details = {
    message,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column })
  }
  return new Problem.ComponentInvalid({ detail: message, error: message, details })
}

/** The reason why no source can be made of a valid component; none if one can. */
export const sourceFault = ({ component, place }: SavedComponent): Option.Option<CodeFault> =>
  component.type !== "action" ? Option.none() : Option.some(unusable(
    {
      message: `its type is "action": an action does one thing as a step of a workflow, or is run by itself with ` +
        "`headwater actions run`. A source runs on requests, timers and events: leave type out, give it an interface or a " +
        "subscription, and take the event as run(event)"
    },
    place,
    "definition"
  ))

/** Maps a place in the linked code to the place where it was written. */
const placeThrough = (linked: LinkedCode | null, place: Place): Place => {
  if (linked === null) return place
  const places = SourcePlaces.make(linked.map, SourcePlaces.start)
  return (line, column) => {
    const found = places(line, column)
    return found.file === SourcePlaces.moduleName ? place(found.line, found.column) : found
  }
}

const unlinkable = (place: Place) => (failure: LinkFailure): CodeFault | Problem.Unavailable =>
  failure._tag === "PackagesUnreachable"
    ? Problem.unavailable(`The server can't install npm packages now: ${failure.message}.`, retryAfterSeconds)
    : unusable(
      { ...failure.at, message: failure.message },
      place,
      failure._tag === "ModuleFaulty" ? "package" : "import"
    )

/** A fault of the module as a whole, such as a missing default export, is told of its beginning. */
const unusable = (
  { column, line, message }: Omit<Position, "file">,
  place: Place,
  reason: CodeFault["reason"]
): CodeFault => new CodeFault({ message, ...place(line ?? 1, column ?? 1), reason })

export const resourceOf = (component: ShownComponent): ComponentResource => ({
  id: component.id,
  code: component.code,
  code_hash: component.codeHash,
  key: component.key,
  name: component.name,
  version: component.version,
  description: component.description,
  configurable_props: component.configurableProps,
  created_at: component.createdAt,
  updated_at: component.updatedAt
})
