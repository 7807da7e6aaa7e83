/** Gives workflows that were moved what they need yet, and switches them on. */
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import type { ConfigurableProp } from "@headwater/domain/Component"
import { Effect, FileSystem, Predicate, Result, type Schema } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as PropQuestion from "../given/PropQuestion.ts"
import * as PropValue from "../given/PropValue.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as MovedSources from "./MovedSources.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as SetupWriting from "./SetupWriting.ts"

type Json = Schema.Json

/** Something that a workflow has yet to be given. */
export interface Need {
  readonly kind: "account" | "timer" | "secret" | "data_store" | "value" | "variable" | "subscription" | "step"
  /** By which `finish` is given it. */
  readonly name: string
  readonly message: string
  /** True if the workflow can't be switched on before. */
  readonly isRequired: boolean
}

/** The standing of a workflow that was moved. */
export interface Standing {
  /** Its id there. */
  readonly movedFrom: string
  readonly record: MovingRecord.Workflow
  /** The workflow here; undefined where it is not deployed. */
  readonly resource: WorkflowResource | undefined
  readonly props: ReadonlyArray<ConfigurableProp>
  readonly needs: ReadonlyArray<Need>
  /** The sources that begin it, and that are made or were made with it. */
  readonly sources?: ReadonlyArray<MovedSources.Standing>
}

const refuse = (message: string) => new CommandRefused({ message })

/** Begins the name of an environment variable among what `finish` is given. */
const variablePrefix = "env."

/** Apps of the service's own actions, which have no credentials. */
const withoutCredentials = new Set(["data_stores", "helper_functions", "formatting", "filter", "delay", "http", "rss"])

const appOf = ({ app, type }: ConfigurableProp): string | undefined =>
  type === "app" && Predicate.isString(app) ? app : undefined

/** A value as the command line takes it, whatever the shell makes of its name. */
const setting = (name: string, value: string) => {
  const text = `${name}=${value}`
  return `--set ${/^[\w.…=<>-]+$/.test(text) ? text : `'${text}'`}`
}

const propNeed = (prop: ConfigurableProp, { accounts }: MovingRecord.Workflow): Need => {
  const { name, type } = prop
  const need = (kind: Need["kind"], message: string): Need => ({ kind, name, message, isRequired: true })
  const app = appOf(prop)
  if (type === "app") {
    const before = accounts[name]
    return need(
      "account",
      `an account with ${app ?? "the app"}${
        before === undefined ? "" : ` in place of ${before}`
      }: \`headwater accounts create ` +
        `${app ?? "<app>"}\`, then ${setting(name, "apn_…")}${
          before === undefined ? "" : `, or ${setting(before, "apn_…")} for all props of it`
        }`
    )
  }
  if (type === "$.interface.timer") {
    return need("timer", `when it runs: ${setting(name, "{\"cron\": \"0 9 * * *\", \"timezone\": \"UTC\"}")}`)
  }
  if (type === "data_store") {
    return need("data_store", `a data store: \`headwater stores create NAME\`, then ${setting(name, "NAME")}`)
  }
  return prop["secret"] === true
    ? need("secret", `a secret: give it at a terminal or in a file with --file`)
    : need("value", `a value of the type ${type}: ${setting(name, "…")}`)
}

/** Reads how the workflows of a folder stand. */
export const read = Effect.fnUntraced(function*(folder: string) {
  const { call } = yield* ApiAccess
  const record = yield* MovingRecord.need(folder)
  const { ids } = yield* SetupFolder.read(folder)
  const { data: ofAccount } = yield* call(({ environment }) => environment.list({ query: {} }))
  const shared = new Set(ofAccount.map(({ name }) => name))
  const standings = yield* Effect.forEach(
    Object.entries(record.workflows),
    ([movedFrom, workflow]) =>
      Effect.gen(function*() {
        const id = ids.get(workflow.ref)
        const found = id === undefined
          ? undefined
          : yield* call(({ workflows }) => workflows.get({ params: { id }, query: {} })).pipe(
            Effect.catchTag("NotFoundProblem", () => Effect.undefined)
          )
        if (found === undefined) {
          return {
            movedFrom,
            record: workflow,
            resource: undefined,
            props: [],
            needs: []
          } satisfies Standing as Standing
        }
        const resource = found.data
        const { data: code } = yield* call(({ code }) => code.workflowCode({ params: { id: resource.id }, query: {} }))
        const { id: program_id, project_id } = resource
        const owners = [{ program_id }, ...(project_id === undefined ? [] : [{ project_id }])]
        const own = yield* Effect.forEach(
          workflow.variables.length === 0 ? [] : owners,
          (query) => call(({ environment }) => environment.list({ query }))
        ).pipe(Effect.map((lists) => lists.flatMap(({ data }) => data.map(({ name }) => name))))
        const sources = MovedSources.of(workflow, record, ids)
        const begins = new Set(sources.map(({ trigger }) => trigger))
        const props = code.configurable_props
        const missing = new Set(resource.missing_props)
        return {
          movedFrom,
          record: workflow,
          resource,
          props,
          sources,
          needs: [
            ...props.filter(({ name }) => missing.has(name)).map((prop) => propNeed(prop, workflow)),
            ...workflow.left.map((name): Need => ({
              kind: "step",
              name,
              message:
                `did not come over: write it anew in ${workflow.ref}, \`headwater apply\`, and \`finish\` with --activate`,
              isRequired: true
            })),
            ...Object.entries(workflow.withheld).map(([name, value]): Need => ({
              kind: "value",
              name,
              message:
                `its value was not taken yet, and \`finish\` tries it again: ${JSON.stringify(value).slice(0, 100)}. ` +
                `Give another one, or ${setting(name, "null")}`,
              isRequired: false
            })),
            ...workflow.variables.filter((name) => !shared.has(name) && !own.includes(name)).map((name): Need => ({
              kind: "variable",
              name: `${variablePrefix}${name}`,
              message: `the environment variable that the code reads: \`headwater env set ${name} --secret\`, or ${
                setting(`${variablePrefix}${name}`, "…")
              }`,
              isRequired: false
            })),
            ...MovedSources.accountsOf(sources).map(([account, ref]): Need => ({
              kind: "account",
              name: account,
              message: `an account in place of ${account}, which ${ref} has: ${setting(account, "apn_…")}`,
              isRequired: true
            })),
            ...workflow.subscriptions.filter((trigger) =>
              !workflow.given.subscriptions.includes(trigger) && !begins.has(trigger)
            ).map((
              trigger
            ): Need => ({
              kind: "subscription",
              name: trigger,
              message: `the source that was its trigger: deploy it, then ${setting(trigger, "<source>")}`,
              isRequired: true
            }))
          ]
        } satisfies Standing as Standing
      }),
    { concurrency: 4 }
  )
  return { record, standings }
})

const basename = (ref: string) => ref.replace(/^workflows\//, "")

/** The one that somebody means: by its slug, its name, or its id here or there. */
export const named = (standings: ReadonlyArray<Standing>, name: string) => {
  const found = standings.find(({ movedFrom, record, resource }) =>
    [movedFrom, basename(record.ref), record.name, resource?.id, resource?.name_slug].includes(name)
  )
  return found === undefined
    ? Effect.fail(
      refuse(
        `no workflow ${JSON.stringify(name)} was moved: there are ${
          standings.map(({ record }) => basename(record.ref)).join(", ")
        }`
      )
    )
    : Effect.succeed(found)
}

/** A value that somebody gives: text of the command line, or JSON of a file. */
export type Value = { readonly text: string } | { readonly json: Json }
export type Given = ReadonlyMap<string, Value>

/** An account with an app that has no credentials. */
const emptyAccount = Effect.fnUntraced(function*(app: string) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ appAccounts }) => appAccounts.list({ query: { limit: 100 } }))
  const present = data.find((account) => account.app === app)
  if (present !== undefined) return { authProvisionId: present.id }
  const { data: made } = yield* call(({ appAccounts }) =>
    appAccounts.create({ headers: {}, payload: { app, credentials: {} } })
  )
  return { authProvisionId: made.id }
})

const textOf = (given: Value): string =>
  "text" in given ? given.text : typeof given.json === "string" ? given.json : JSON.stringify(given.json)

/** Reads what is given by its name into props, variables and subscriptions. */
export const sorted = (
  { props, record, sources = [] }: Pick<Standing, "props" | "record" | "sources">,
  given: Given
) => {
  const values: Record<string, Json> = {}
  const accounts: Record<string, string> = {}
  const ofSources = new Set(sources.flatMap(({ accounts }) => Object.values(accounts)))
  const variables = new Map<string, string>()
  const subscriptions = new Map<string, string>()
  const endpoints: Record<string, string> = {}
  const faults: Array<string> = []
  const set = (name: string, each: Value) => {
    const prop = props.find((prop) => prop.name === name)
    // The id of an account is a text in JSON, too.
    if ("json" in each && (prop?.type !== "app" || typeof each.json !== "string")) {
      values[name] = each.json
      return
    }
    const text = textOf(each)
    if (text === "null" || prop === undefined) values[name] = PropValue.ofAnyType(text)
    else {
      const read = PropValue.parse(prop, text)
      if (Result.isSuccess(read)) values[name] = read.success
      else faults.push(`${name}: ${read.failure}`)
    }
  }
  for (const [name, each] of given) {
    if (name.startsWith(variablePrefix)) variables.set(name.slice(variablePrefix.length), textOf(each))
    else if (record.subscriptions.includes(name)) subscriptions.set(name, textOf(each))
    else if (Object.hasOwn(record.endpoints ?? {}, name)) {
      if (/^https?:$/.test(URL.parse(textOf(each))?.protocol ?? "")) endpoints[name] = textOf(each)
      else faults.push(`${name}: expected the URL that the trigger has there`)
    } else if (Object.values(record.accounts).includes(name) || ofSources.has(name)) {
      if (ofSources.has(name)) accounts[name] = MovedSources.accountIn(textOf(each))
      const having = Object.keys(record.accounts).filter((prop) =>
        record.accounts[prop] === name && props.some((each) => each.name === prop)
      )
      for (const prop of having) set(prop, each)
      if (having.length === 0 && !ofSources.has(name)) {
        faults.push(`${name}: the code has no prop any more that had this account`)
      }
    } else set(name, each)
  }
  return { values, variables, subscriptions, accounts, endpoints, faults }
}

/** Asks at the terminal for what a workflow needs and is not given. */
export const ask = Effect.fnUntraced(function*({ needs, props }: Standing, given: Given) {
  const asked = new Map(given)
  for (const { kind, name } of needs) {
    // A source has it, and no prop of the workflow.
    const ofSource = kind === "account" ? { name, type: "app" } : undefined
    const prop = props.find((prop) => prop.name === name) ?? ofSource
    if (prop === undefined || asked.has(name) || withoutCredentials.has(appOf(prop) ?? "")) continue
    asked.set(name, { json: yield* PropQuestion.ask(prop) })
  }
  return asked as Given
})

/** The names of values that go into no file: those of secrets, and those of no prop that is known. */
export const secretsAmong = (
  names: ReadonlyArray<string>,
  props: ReadonlyArray<ConfigurableProp>
): ReadonlySet<string> => {
  const open = new Set(props.filter((prop) => prop["secret"] !== true).map(({ name }) => name))
  return new Set(names.filter((name) => !open.has(name)))
}

/** Keeps in the files of the set-up what was given, so that the next import and the next `apply` know it. */
const keep = Effect.fnUntraced(function*(
  folder: string,
  { movedFrom, record: workflow }: Standing,
  props: ReadonlyArray<ConfigurableProp>,
  values: Readonly<Record<string, Json>>,
  subscriptions: ReadonlyArray<string>,
  endpoints: Readonly<Record<string, string>>,
  active: boolean,
  shadow: boolean | undefined
) {
  const files = yield* FileSystem.FileSystem
  const record = yield* MovingRecord.need(folder)
  const secrets = secretsAmong(Object.keys(values), props)
  const path = `${workflow.ref}.json`
  // It is set aside where the server does not take what has come since.
  const isThere = yield* Effect.orElseSucceed(files.exists(Path.join(folder, path)), () => false)
  const text = isThere
    ? yield* Effect.mapError(files.readFileString(Path.join(folder, path)), ({ message }) => refuse(message))
    : "{}"
  const content = JSON.parse(text) as { readonly configured_props?: Record<string, Json> }
  const shown = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== null && !secrets.has(name))
  )
  const written = `${
    JSON.stringify(
      {
        ...content,
        active,
        ...(shadow === undefined ? {} : { shadow }),
        configured_props: { ...content.configured_props, ...shown }
      },
      undefined,
      2
    )
  }\n`
  const isOwn = record.files[path] === MovingRecord.hashOf(text)
  const given = {
    props: {
      ...workflow.given.props,
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secrets.has(name) ? null : value]))
    },
    subscriptions: [...new Set([...workflow.given.subscriptions, ...subscriptions])],
    active
  }
  const withheld = Object.fromEntries(
    Object.entries(workflow.withheld).filter(([name]) => !Object.hasOwn(values, name))
  )
  const changed = { ...workflow, given, withheld, endpoints: { ...workflow.endpoints, ...endpoints } }
  if (isThere) {
    yield* Effect.mapError(files.writeFileString(Path.join(folder, path), written), ({ message }) => refuse(message))
  }
  yield* SetupWriting.write(folder, new Map(), {
    ...record,
    workflows: { ...record.workflows, [movedFrom]: changed },
    files: isOwn ? { ...record.files, [path]: MovingRecord.hashOf(written) } : record.files
  })
})

/** Keeps that a workflow has left shadow. */
export const keepLive = (folder: string, standing: Standing) => keep(folder, standing, [], {}, [], {}, true, false)

/** Gives a workflow what somebody gives, and switches it on if it needs nothing more. */
export const finish = Effect.fnUntraced(function*(
  folder: string,
  standing: Standing,
  given: Given,
  { activates, shadow }: {
    readonly activates: boolean
    /** Has it run in shadow, or no longer; undefined if it stays as it is. */
    readonly shadow?: boolean | undefined
  }
) {
  const { call } = yield* ApiAccess
  const { needs, props, record, resource } = standing
  if (resource === undefined) {
    return yield* refuse(`${record.name} is not deployed: import it again, and see what the report says of it`)
  }
  const { accounts, endpoints, faults, subscriptions, values, variables } = sorted(standing, given)
  if (faults.length > 0) return yield* refuse(faults.join("; "))
  for (const { name } of needs) {
    const app = appOf(props.find((prop) => prop.name === name) ?? { name, type: "any" })
    if (app !== undefined && values[name] === undefined && withoutCredentials.has(app)) {
      values[name] = yield* emptyAccount(app)
    }
  }
  // Those of a project are given once for all of its workflows.
  const owner = resource.project_id === undefined ? { program_id: resource.id } : { project_id: resource.project_id }
  for (const [name, value] of variables) {
    yield* call(({ environment }) => environment.set({ params: { name }, payload: { value, secret: true, ...owner } }))
  }
  const { sources = [] } = standing
  const unnamed = sources.filter(({ trigger }) => !subscriptions.has(trigger))
  for (const [trigger, id] of yield* MovedSources.make(folder, unnamed, accounts)) {
    if (!record.given.subscriptions.includes(trigger)) subscriptions.set(trigger, id)
  }
  for (const emitter_id of subscriptions.values()) {
    yield* call(({ subscriptions }) =>
      subscriptions.create({ headers: {}, query: {}, payload: { emitter_id, listener_id: resource.id } })
    )
  }
  const update = (active: boolean, configured_props: Readonly<Record<string, Json>>) =>
    call(({ workflows }) =>
      workflows.update({
        params: { id: resource.id },
        payload: { active, configured_props, ...(shadow === undefined ? {} : { shadow }) }
      })
    )
  const withheld = Object.fromEntries(Object.entries(record.withheld).filter(([name]) => !Object.hasOwn(values, name)))
  const without = (dropped: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(withheld).filter(([name]) => !dropped.includes(name)))
  // Values from there that the code has no prop for, when it has its account, are of an older version of it.
  const gone = (paths: ReadonlyArray<string>) =>
    Object.keys(withheld).filter((name) => paths.includes(`configured_props.${name}`))
  const sending = { ...withheld, ...values }
  const sent = yield* update(resource.active, sending).pipe(
    Effect.map(({ data }) => ({ data, props: sending, dropped: [] as ReadonlyArray<string> })),
    Effect.catchTag("InvalidRequestProblem", (problem) => {
      const dropped = gone(
        problem.details.filter(({ message }) => message.includes("no such prop")).map(({ path }) => path)
      )
      const props = { ...without(dropped), ...values }
      return dropped.length === 0 || dropped.length < problem.details.length
        ? Effect.fail(problem)
        : Effect.map(update(resource.active, props), ({ data }) => ({ data, props, dropped }))
    }),
    Effect.catchTag(
      "InvalidRequestProblem",
      ({ detail }) => Effect.fail(refuse(`${record.name}: ${detail} (take a value back with --set NAME=null)`))
    )
  )
  const { data: changed, dropped, props: configured_props } = sent
  const isSubscribed = record.subscriptions.every((trigger) =>
    subscriptions.has(trigger) || record.given.subscriptions.includes(trigger)
  )
  const isWhole = (changed.missing_props ?? []).length === 0 && isSubscribed
  const becomesActive = isWhole && (activates || !record.wasInactive && record.left.length === 0)
  if (becomesActive && !changed.active) yield* update(true, {})
  if (becomesActive || changed.active) yield* MovedSources.activate(folder, unnamed)
  // An action may have added props now that it has its account.
  const { data: code } = yield* call(({ code }) => code.workflowCode({ params: { id: resource.id }, query: {} }))
  const forgotten = Object.fromEntries(dropped.map((name) => [name, null]))
  yield* keep(
    folder,
    standing,
    code.configurable_props,
    { ...configured_props, ...forgotten },
    [...subscriptions.keys()],
    endpoints,
    becomesActive || changed.active,
    shadow
  )
  return { dropped }
})
