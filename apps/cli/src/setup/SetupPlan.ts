import * as Batch from "@headwater/api/Batch"
import type { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import type { ConfigurableProp } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as DataStore from "@headwater/domain/DataStore"
import * as OwnMember from "@headwater/domain/OwnMember"
import * as RegistrySpecifier from "@headwater/sandbox/RegistrySpecifier"
import * as SourcePlaces from "@headwater/sandbox/SourcePlaces"
import { Config, Effect, Equal, Predicate, Result, type Schema } from "effect"
import * as Crypto from "node:crypto"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CodeCheck from "../code/CodeCheck.ts"
import * as CodeFile from "../code/CodeFile.ts"
import { type ComponentBundle, ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as PropValue from "../given/PropValue.ts"
import * as Setup from "./Setup.ts"
import { at, faultsOf } from "./SetupFaults.ts"
import type { Folder } from "./SetupFolder.ts"
import { matching } from "./SetupMatching.ts"
import { type AccountThing, secretPlaces, type SetupOfAccount } from "./SetupOfAccount.ts"
import { propsOf, propsWithIds } from "./SetupRefs.ts"

/** One field that is to be otherwise, by its dotted place. A value that is not there is undefined. */
export interface FieldChange {
  readonly field: string
  readonly before: Schema.Json | undefined
  readonly after: Schema.Json | undefined
}

/** One thing that the account is to have, to have otherwise, or to have no longer. */
export interface Change {
  readonly action: "create" | "change" | "delete"
  readonly thing: Setup.Thing
  /** The thing as the account has it; undefined if it is to be created. */
  readonly present: AccountThing | undefined
  readonly fields: ReadonlyArray<FieldChange>
  /** Code that is sent: of what is created, or has other code. */
  readonly code: string | undefined
  /** Values of secret props that are sent. */
  readonly secretProps: Setup.Fields
}

const nothing = { present: undefined, fields: [], code: undefined, secretProps: {} }

export interface Plan {
  readonly folder: string
  readonly account: SetupOfAccount
  readonly changes: ReadonlyArray<Change>
  /** The present thing of each file that has one. */
  readonly matches: ReadonlyMap<string, AccountThing>
  /** Things that are left out, with what is wrong with each. */
  readonly leftOut: ReadonlyArray<LeftOut>
}

export interface LeftOut {
  readonly ref: string
  readonly faults: ReadonlyArray<string>
}

const refuse = (message: string) => new CommandRefused({ message })

/** The fields of a program, with those that its file leaves out if they are as by default. */
const inFullProgram = ({ fields }: AccountThing): Setup.Fields => ({ shadow: false, ...fields })

export const hashOf = (code: string): string => Crypto.createHash("sha256").update(code).digest("hex")

/** The value of an environment variable, if it has one. */
export const variable = (name: string) =>
  Effect.map(Effect.orElseSucceed(Config.String(name), () => ""), (text) => text === "" ? undefined : text)

/** Webhook settings that are never null where they are shown: null asks for the default. */
const nullIsDefault: ReadonlySet<string> = new Set([
  "ordering",
  "concurrency",
  "retry_schedule",
  "timeout_ms",
  "signature",
  "headers",
  "secret_headers"
])

/** Fields as the account shows them, where a file may say the same in fewer words. */
const inFull = ({ fields, kind }: Setup.Thing): Setup.Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (kind === "webhooks" && value === null && nullIsDefault.has(name)) return []
      if (name === "batch" && value !== null) return [[name, Batch.show(Batch.read(value as Batch.GivenBatch)).batch]]
      return name === "rate_limit" && kind === "webhooks" && Predicate.isObject(value)
        ? [[name, { burst: 1, ...value as object }]]
        : [[name, value]]
    })
  ) as Setup.Fields

const differences = (
  prefix: string,
  before: Setup.Fields,
  after: Setup.Fields,
  names: ReadonlyArray<string>
): ReadonlyArray<FieldChange> =>
  names.flatMap((name) => {
    const [one, other] = [OwnMember.get(before, name), OwnMember.get(after, name)]
    return Equal.equals(one, other) ? [] : [{ field: `${prefix}${name}`, before: one, after: other }]
  })

interface Given {
  readonly folder: string
  readonly files: Folder
  readonly account: SetupOfAccount
  readonly prune: boolean
  /** True if the secrets of the environment replace those of things that are there. */
  readonly secrets: boolean
  /** True if things with faults are left out, in place of refusing the whole folder. */
  readonly leavesOut?: boolean
  /** The folder that this one is a copy of: code names the files that it was made of. */
  readonly copyOf?: string
}

/** Secrets that the environment has. */
const secretsOf = Effect.fnUntraced(function*(thing: Setup.Thing) {
  const found = new Map<string, string>()
  for (const [place, name] of Object.entries(thing.secrets)) {
    const value = yield* variable(name)
    if (value !== undefined) found.set(place, value)
  }
  return found
})

const missingSecrets = (thing: Setup.Thing, places: ReadonlyArray<string>, found: ReadonlyMap<string, string>) =>
  places.filter((place) => !found.has(place)).map((place) =>
    at(thing, place, `is secret: set ${thing.secrets[place] ?? Setup.variableOf(thing.ref, place)}`)
  )

type CheckPayload = Parameters<HeadwaterClient["Service"]["code"]["check"]>[0]["payload"]

/** Code that the server checks at a time: it works for an account at no more. */
const checkedAtOnce = 4

const givenCode = (kind: Setup.Kind, code: string) =>
  kind === "workflows" ? { workflow_code: code } : { component_code: code }

/** Some ids of the forms, for what is not created yet. */
const anyIds: Partial<Record<Setup.Kind, string>> = {
  accounts: `apn_${"0".repeat(20)}`,
  data_stores: `ds_${"0".repeat(20)}`
}

/** Faults of a variable's value, which every change of it sends, and which a file has only where it is no secret. */
const valueFaults = (thing: Setup.Thing, present: AccountThing | undefined): ReadonlyArray<string> => {
  if (thing.kind !== "environment_variables") return []
  const { secret = present?.fields["secret"], value } = thing.fields
  if (secret === true) {
    return value === undefined ? [] : [at(thing, "value", "is secret: name the variable that holds it in secrets")]
  }
  return value === undefined && present?.fields["value"] === undefined ? [at(thing, "value", "is required")] : []
}

/** The changes that are planned so far, and the faults of the folder. */
class Planning {
  private readonly changes: Array<Change> = []
  private readonly faults: Array<string>
  private readonly matches: Plan["matches"]
  /** Keys of components that are created. */
  private readonly newKeys = new Set<string>()
  private readonly bundles = new Map<string, ComponentBundle>()
  /** The server's answers about code, by what they were asked with. */
  private readonly checks = new Map<string, ReturnType<Planning["ask"]>>()
  private readonly given: Given
  private readonly call: ApiAccess["Service"]["call"]
  private readonly bundler: ComponentFiles["Service"]

  constructor(given: Given, call: ApiAccess["Service"]["call"], bundler: ComponentFiles["Service"]) {
    const { account, files } = given
    this.given = given
    this.call = call
    this.bundler = bundler
    this.matches = matching(files, account)
    this.faults = [...faultsOf(files, account)]
  }

  readonly plan = Effect.gen({ self: this }, function*() {
    const { changes, faults, matches } = this
    const { account, files, folder, leavesOut = false, prune } = this.given
    yield* Effect.forEach(files.things, (thing) => this.checkAhead(thing), {
      concurrency: checkedAtOnce,
      discard: true
    })
    const leftOut: Array<LeftOut> = []
    const isLeftOut = (ref: Schema.Json | undefined) =>
      !matches.has(String(ref)) && leftOut.some((left) => left.ref === ref)
    // A variable of a source or workflow comes right after that.
    const ofProgram = Map.groupBy(files.things, ({ fields }) => fields["program"])
    const inOrder = (ofProgram.get(undefined) ?? []).flatMap((thing) => [thing, ...ofProgram.get(thing.ref) ?? []])
    for (const thing of inOrder) {
      const before = { changes: changes.length, faults: faults.length }
      for (const end of ["emitter", "listener"]) {
        if (isLeftOut(thing.fields[end])) faults.push(at(thing, end, `${String(thing.fields[end])} is left out`))
      }
      yield* this.planThing(thing).pipe(
        Effect.catchTags({
          CommandRefused: ({ message }) => Effect.sync(() => faults.push(message)),
          InvalidRequestProblem: ({ detail }) => Effect.sync(() => faults.push(`${Setup.fileOf(thing)}: ${detail}`))
        })
      )
      if (!leavesOut || faults.length === before.faults) continue
      leftOut.push({ ref: thing.ref, faults: faults.splice(before.faults) })
      changes.splice(before.changes)
    }
    if (faults.length > 0) return yield* refuse(faults.join("; "))
    if (prune) {
      const matched = new Set(matches.values())
      for (const present of account.things.toReversed()) {
        if (present.kind === "components" || matched.has(present) || !files.kinds.includes(present.kind)) continue
        changes.push({ ...nothing, action: "delete", thing: present, present })
      }
    }
    return { folder, account, changes, matches, leftOut } satisfies Plan as Plan
  })

  private planThing(thing: Setup.Thing) {
    const present = this.matches.get(thing.ref)
    if (thing.kind === "components") return this.planComponent(thing)
    return thing.kind === "sources" || thing.kind === "workflows"
      ? this.planProgram(thing, present)
      : this.planPlain(thing, present)
  }

  private readonly idOf = (ref: string): string | undefined => {
    const kind = ref.replace(/\/.*/, "") as Setup.Kind
    return anyIds[kind] === undefined ? undefined : this.matches.get(ref)?.id ?? anyIds[kind]
  }

  private noteNew({ key }: { readonly key: string | null }): void {
    if (key !== null) this.newKeys.add(key)
  }

  private resent(found: ReadonlyMap<string, string>): ReadonlyArray<FieldChange> {
    return this.given.secrets
      ? [...found.keys()].map((field) => ({ field, before: Setup.mask, after: Setup.mask }))
      : []
  }

  /** A value that names an account with an app or a data store, in the names of the account. */
  private presentForm(type: string | undefined, value: Schema.Json): Schema.Json {
    if (type === DataStore.propType) {
      const given = Predicate.isObject(value) ? Reflect.get(value, "storeId") : value
      const store = this.matches.get(String(given)) ??
        this.given.account.things.find(({ fields, id, kind }) =>
          kind === "data_stores" && (id === given || fields["name"] === given)
        )
      return store === undefined ? value : { storeId: store.ref }
    }
    if (!Predicate.isObject(value)) return value
    const ref = Reflect.get(value, "authProvisionId")
    const account = this.matches.get(String(ref)) ?? this.given.account.things.find(({ id }) => id === ref)
    const name = account?.ref ?? ref
    return { ...value as Setup.Fields, authProvisionId: name as Schema.Json }
  }

  /** The fields of a program, with the account's name of its project. */
  private inPresentProject({ fields }: Setup.Thing): Setup.Fields {
    const project = this.matches.get(String(fields["project"]))?.ref
    return project === undefined ? fields : { ...fields, project }
  }

  /** Things whose fields are compared as they stand. */
  private planPlain(file: Setup.Thing, present: AccountThing | undefined) {
    return Effect.gen({ self: this }, function*() {
      const needed = neededSecrets(file, present)
      const unnamed = Object.fromEntries(needed.map((place) => [place, Setup.variableOf(file.ref, place)]))
      const thing = { ...file, secrets: { ...unnamed, ...file.secrets } }
      const found = yield* secretsOf(thing)
      const wanted = inFull(thing)
      const names = Object.keys(wanted).filter((name) =>
        !["emitter", "listener", "program", "project"].includes(name) &&
        // A file without a type is sent with that of any bytes.
        !(name === "content_type" && wanted[name] === null)
      )
      this.faults.push(...valueFaults(thing, present))
      this.faults.push(...missingSecrets(thing, needed, found))
      if (present === undefined) {
        this.changes.push({ ...nothing, action: "create", thing, present })
        return
      }
      const differing = differences("", present.fields, wanted, names)
      const sentAnew = [...found.keys()].filter((place) => this.given.secrets || needed.includes(place))
        .filter((place) => !differing.some(({ field }) => field === place))
        .map((field) => ({ field, before: Setup.mask, after: Setup.mask }))
      const fields = [...differing, ...sentAnew]
      for (const { field } of fields) {
        if (thing.kind === "accounts" && field === "app") {
          this.faults.push(at(thing, field, "the app of an account can't be changed: give the account another file"))
        }
      }
      if (fields.length > 0) this.changes.push({ ...nothing, action: "change", thing, present, fields })
    })
  }

  private ask(payload: CheckPayload) {
    return this.call(({ code }) => code.check({ headers: {}, payload }))
  }

  /** The server's word about code, for which it is asked once. */
  private check(payload: CheckPayload) {
    return Effect.gen({ self: this }, function*() {
      const key = hashOf(JSON.stringify(payload))
      const known = this.checks.get(key)
      if (known !== undefined) return yield* known
      const answer = yield* Effect.cached(this.ask(payload))
      this.checks.set(key, answer)
      return yield* answer
    })
  }

  /** Asks about code that will be asked about, several at a time: the plan takes one thing after the other. */
  private checkAhead(thing: Setup.Thing) {
    return Effect.gen({ self: this }, function*() {
      const { kind } = thing
      const { code: path } = thing.fields
      if (kind !== "sources" && kind !== "workflows" || typeof path !== "string") return
      const { code, imports } = yield* this.bundle(thing, path)
      const isThere = this.matches.get(thing.ref)?.code?.code_hash === hashOf(code)
      // It may import what comes before it in the plan.
      if (isThere || imports.some(RegistrySpecifier.is)) return
      yield* this.check({ ...givenCode(kind, code), configured_props: this.valuesOf(thing) })
    }).pipe(Effect.ignore)
  }

  private valuesOf({ fields }: Setup.Thing): Setup.Fields {
    return propsWithIds(propsOf(fields) ?? {}, this.idOf)
  }

  /** The key of the code, and the props that it declares. */
  private described(thing: Setup.Thing, code: string | undefined, mayLack = false) {
    return Effect.gen({ self: this }, function*() {
      const { registry, url } = thing.fields
      if (typeof registry === "string") {
        const { data } = yield* this.call(({ components }) =>
          components.getPublished({ params: { key: registry }, query: {} })
        ).pipe(Effect.catchTag("NotFoundProblem", ({ detail }) => Effect.fail(refuse(at(thing, "registry", detail)))))
        return data
      }
      const isWorkflow = thing.kind === "workflows"
      const what = code !== undefined
        ? givenCode(thing.kind, code)
        : { [isWorkflow ? "workflow_url" : "component_url"]: url }
      const whole = yield* this.check({ ...what, configured_props: this.valuesOf(thing) })
      // Code may need a value that is yet to be given, such as an account, to tell which props it adds.
      const { data } = isWorkflow && mayLack && whole.data.errors.length > 0 ? yield* this.check(what) : whole
      // An action makes no source, which is all that a check tells of, and can be saved.
      const isAction = thing.kind === "components" && data.type === "action"
      if (isAction || data.valid && data.errors.length === 0) return data
      const made = code === undefined
        ? undefined
        : this.bundles.get(Path.join(this.given.folder, String(thing.fields["code"])))
      const errors = data.errors.map((error) =>
        made !== undefined && error.file === SourcePlaces.moduleName
          ? { ...error, ...made.place(error.line, error.column) }
          : error
      )
      return yield* refuse(at(thing, code === undefined ? "url" : "code", CodeCheck.errorLines({ errors }).join("; ")))
    })
  }

  /** True if code imports a component that is not there before the changes are made: only then it can be checked. */
  private importsNew({ imports }: ComponentBundle): boolean {
    return imports.some((specifier) => this.newKeys.has(RegistrySpecifier.parse(specifier)?.key ?? ""))
  }

  /** The server judges the code when it gets it, with its props as the file has them. */
  private planUnchecked(thing: Setup.Thing, present: AccountThing | undefined, code: string) {
    return Effect.gen({ self: this }, function*() {
      const secrets = [...yield* secretsOf(thing)]
        .map(([place, text]) => [place.slice("configured_props.".length), text] as const)
      const secretProps = Object.fromEntries(secrets)
      if (present === undefined) {
        this.changes.push({ ...nothing, action: "create", thing, code, secretProps })
        return
      }
      const props = propsOf(thing.fields) ?? {}
      const has = propsOf(present.fields) ?? {}
      const plain = Object.keys(thing.fields).filter((name) => !Setup.programFieldsApart.includes(name))
      this.changes.push({
        action: "change",
        thing,
        present,
        code,
        secretProps,
        fields: [
          ...differences("", inFullProgram(present), this.inPresentProject(thing), plain),
          { field: "code", before: present.fields["code"], after: thing.fields["code"] },
          ...differences("configured_props.", has, props, Object.keys(props))
        ]
      })
    })
  }

  private planProgram(thing: Setup.Thing, present: AccountThing | undefined) {
    return Effect.gen({ self: this }, function*() {
      const { code: path, registry, url } = thing.fields
      const made = typeof path === "string" ? yield* this.bundle(thing, path) : undefined
      const code = made?.code
      const before = present?.fields ?? {}
      const isSameCode = present !== undefined && (
        code !== undefined
          ? present.code?.code_hash === hashOf(code)
          : registry !== undefined
          ? present.code?.key === registry && before["registry"] === registry
          : before["url"] === url
      )
      const found = yield* secretsOf(thing)
      if (made !== undefined && !isSameCode && this.importsNew(made)) {
        return yield* this.planUnchecked(thing, present, made.code)
      }
      const kept = isSameCode ? present.code?.configurable_props : undefined
      let compared = kept === undefined ? undefined : yield* this.compare(thing, present, kept, found)
      // Other values may have the code add other props.
      if (compared === undefined || compared.issues.length > 0 || compared.fields.length > 0) {
        const described = yield* this.described(thing, code, isInactive(thing, present))
        if (code !== undefined && !this.given.account.components.has(hashOf(code))) this.noteNew(described)
        compared = yield* this.compare(thing, present, described.configurable_props, found)
      }
      this.faults.push(...compared.issues)
      const { secretProps } = compared
      if (present === undefined) {
        this.changes.push({ ...nothing, action: "create", thing, present, code, secretProps })
        return
      }
      const plain = Object.keys(thing.fields).filter((name) => !Setup.programFieldsApart.includes(name))
      const where = path ?? url ?? registry
      const fields = [
        ...differences("", inFullProgram(present), this.inPresentProject(thing), plain),
        ...(isSameCode ? [] : [{
          field: code !== undefined ? "code" : url !== undefined ? "url" : "registry",
          before: before["code"] ?? before["url"] ?? before["registry"],
          after: where
        }]),
        ...compared.fields,
        ...this.resent(found)
      ]
      if (fields.length > 0) {
        this.changes.push({
          action: "change",
          thing,
          present,
          fields,
          code: isSameCode ? undefined : code,
          secretProps: this.given.secrets ? secretProps : Object.fromEntries(needed(present, secretProps))
        })
      }
    })
  }

  /** The differences of a program's props, and what is wrong with them, if the code declares these. */
  private compare(
    thing: Setup.Thing,
    present: AccountThing | undefined,
    declared: ReadonlyArray<ConfigurableProp>,
    found: ReadonlyMap<string, string>
  ) {
    return Effect.gen({ self: this }, function*() {
      const given = propsOf(thing.fields)
      const issues: Array<string> = []
      const secrets: Record<string, Schema.Json> = {}
      const texts = new Map(found)
      for (const place of secretPlaces(declared).filter((place) => !Object.hasOwn(thing.secrets, place))) {
        const text = yield* variable(Setup.variableOf(thing.ref, place))
        if (text !== undefined) texts.set(place, text)
      }
      for (const [place, text] of texts) {
        const prop = declared.find(({ name }) => `configured_props.${name}` === place)
        if (prop === undefined) {
          issues.push(at(thing, `secrets.${place}`, "the component has no such prop"))
          continue
        }
        const value = PropValue.parse(prop, text)
        if (Result.isSuccess(value)) OwnMember.set(secrets, prop.name, value.success)
        else issues.push(at(thing, place, value.failure))
      }
      if (given === undefined && present !== undefined) return { issues, secretProps: secrets, fields: [] }
      const values = { ...propsWithIds(given ?? {}, this.idOf), ...secrets }
      const wanted = ConfiguredProps.resolve(
        declared,
        undefined,
        values,
        ConfiguredProps.mayHaveExpressions,
        isInactive(thing, present)
      )
      if (Result.isFailure(wanted)) {
        for (const { message, path } of wanted.failure) {
          const prop = declared.find(({ name }) => ConfiguredProps.pathOf(name) === path)
          const isSecret = prop?.["secret"] === true && message === ConfiguredProps.missing
          if (isSecret && present?.code?.configurable_props.some(({ name }) => name === prop.name) === true) continue
          issues.push(...isSecret ? missingSecrets(thing, [path], found) : [at(thing, path, message)])
        }
      }
      // As the server will show them, with what is as by default.
      const shown = Result.isSuccess(wanted)
        ? ConfiguredProps.render(declared, wanted.success, undefined)
        : values
      const asFile = Object.fromEntries(
        Object.entries(shown).map(([name, value]) => {
          const type = declared.find((prop) => prop.name === name)?.type
          const isNamed = type === DataStore.propType || Predicate.isObject(value) && "authProvisionId" in value
          return [name, isNamed ? this.presentForm(type, OwnMember.get(given ?? {}, name) ?? value) : value]
        })
      ) as Setup.Fields
      const has = propsOf(present?.fields ?? {}) ?? {}
      const names = new Set([...Object.keys(has), ...Object.keys(asFile)])
      const secretNames = new Set(declared.filter((prop) => prop["secret"] === true).map(({ name }) => name))
      return {
        issues,
        secretProps: secrets as Setup.Fields,
        fields: differences("configured_props.", has, asFile, [...names].filter((name) => !secretNames.has(name)))
      }
    })
  }

  private planComponent(thing: Setup.Thing) {
    return Effect.gen({ self: this }, function*() {
      const made = yield* this.bundle(thing, String(thing.fields["code"]))
      const { code } = made
      if (this.given.account.components.has(hashOf(code))) return
      if (!this.importsNew(made)) this.noteNew(yield* this.described(thing, code))
      this.changes.push({ ...nothing, action: "create", thing, code })
    })
  }

  private bundle(thing: Setup.Thing, path: string) {
    return Effect.gen({ self: this }, function*() {
      const file = Path.join(this.given.folder, path)
      const known = this.bundles.get(file)
      if (known !== undefined) return known
      if (!(yield* CodeFile.isFile(file))) return yield* refuse(at(thing, "code", `there is no file ${path}`))
      const bundle = yield* this.bundler.bundle(file, new Set())
      const { copyOf, folder } = this.given
      const made = copyOf === undefined
        ? bundle
        : { ...bundle, code: bundle.code.replaceAll(`${Path.relative("", folder)}/`, `${Path.relative("", copyOf)}/`) }
      this.bundles.set(file, made)
      return made
    })
  }
}

/** The changes that make an account as a folder says. Refuses the whole folder if anything of it can't be. */
export const make = Effect.fnUntraced(function*(given: Given) {
  const { call } = yield* ApiAccess
  return yield* new Planning(given, call, yield* ComponentFiles).plan
})

/** True of a workflow that is switched off, and so may lack values that it needs. */
const isInactive = ({ fields, kind }: Setup.Thing, present: AccountThing | undefined): boolean =>
  kind === "workflows" && (fields["active"] ?? present?.fields["active"]) === false

/** Secret props that what is there does not declare yet, so that it can have no value for them. */
const needed = ({ code }: AccountThing, secretProps: Setup.Fields) =>
  Object.entries(secretProps).filter(([name]) => code?.configurable_props.every((prop) => prop.name !== name) ?? true)

/** That of a webhook's URL. The server takes no secret along to another one. */
const originOf = (url: Schema.Json | undefined): string | undefined =>
  typeof url === "string" ? URL.parse(url)?.origin : undefined

/** The fields that say where the secret of an account's client goes. The server takes it along to no other place. */
const secretPlacesOf = ({ fields: { oauth } }: Setup.Thing) =>
  ["provider", "token_url", "device_url"].map((name) => (oauth as Setup.Fields | undefined)?.[name] ?? null)

/** Places of secrets without which the thing can't be created, or changed as its file says. */
const neededSecrets = (thing: Setup.Thing, present: AccountThing | undefined): ReadonlyArray<string> => {
  switch (thing.kind) {
    case "accounts":
      if (present !== undefined) {
        const isMoved = !Equal.equals(secretPlacesOf(thing), secretPlacesOf(present))
        return isMoved ? ["oauth.client_secret"] : []
      }
      return thing.fields["oauth"] === undefined ? ["credentials"] : ["credentials", "oauth.client_secret"]
    case "environment_variables":
      return thing.fields["secret"] === true && present === undefined ? ["value"] : []
    case "webhooks": {
      const { secret_headers: headers, tls, url } = thing.fields
      const has = present?.fields ?? {}
      const isMasked = typeof url === "string" && URL.parse(url)?.password === Setup.mask
      const isMoved = present !== undefined && originOf(url) !== originOf(has["url"])
      const hasHeader = (name: string) => !isMoved && Object.hasOwn((has["secret_headers"] ?? {}) as object, name)
      const tlsKey = Predicate.isObject(tls) && Reflect.get(tls, "key") === Setup.mask
      return [
        ...(isMasked && has["url"] !== url ? ["url"] : []),
        ...Object.keys((headers ?? {}) as object).filter((name) => !hasHeader(name))
          .map((name) => `secret_headers.${name}`),
        ...(tlsKey && (isMoved || !Equal.equals(has["tls"], tls)) ? ["tls.key"] : [])
      ]
    }
    default:
      return []
  }
}

const shown = (value: Schema.Json | undefined): string => {
  const text = value === undefined ? "nothing" : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

const signs = { create: "+", change: "~", delete: "-" }

/** A plan, a line for each thing and each field. */
export const linesOf = ({ changes }: Plan): string => {
  if (changes.length === 0) return "Nothing to do"
  const count = (action: Change["action"]) => changes.filter((change) => change.action === action).length
  return [
    ...changes.flatMap(({ action, fields, thing }) => [
      `${signs[action]} ${action} ${thing.ref}`,
      ...fields.map(({ after, before, field }) =>
        field in thing.secrets
          ? `    ${field}: the secret is given anew`
          // A thing that the account has is in no file: its path is only the name that an export would give it.
          : field === "code" && typeof before === "string" && typeof after === "string"
          ? "    code: changed"
          : `    ${field}: ${shown(before)} -> ${shown(after)}`
      )
    ]),
    `${count("create")} to create, ${count("change")} to change, ${count("delete")} to delete`
  ].join("\n")
}

/** The same for other programs. */
export const jsonOf = ({ changes }: Plan) =>
  changes.map(({ action, fields, present, thing }) => ({
    action,
    thing: thing.ref,
    id: present?.id ?? null,
    fields: fields.map(({ after, before, field }) => ({ field, before: before ?? null, after: after ?? null }))
  }))
