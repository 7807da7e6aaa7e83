import * as Expression from "@headwater/sandbox/Expression"
import type { Schema } from "effect"
import { type Fields, isFields } from "./Fields.ts"
import type { Finding } from "./MovingReport.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

/** A prop that a step in Python declares nowhere but here. */
export interface DeclaredProp {
  readonly name: string
  readonly declaration: Fields
}

/** The props of a step, as they are here. */
export interface MovedProps {
  readonly values: Record<string, Json>
  /** Ids of the accounts there, by the prop. */
  readonly accounts: Readonly<Record<string, string>>
  /** Ids of the data stores there, by the prop. */
  readonly stores: Readonly<Record<string, string>>
  /** Values that the server would refuse. */
  readonly refused: Readonly<Record<string, Json>>
  /** Props whose values only the service has. */
  readonly sealed: ReadonlyArray<string>
  readonly declared: ReadonlyArray<DeclaredProp>
  /** Rules of a filter, by which the step ends the run or lets it go on. */
  readonly filter: Json | undefined
  readonly findings: ReadonlyArray<Omit<Finding, "file">>
}

/** A data store's file in the set-up. */
export const storeRef = (id: string): string => `data_stores/${id.replace(/[^\w-]/g, "_")}`

const textIn = (value: Json, key: string): string | undefined => {
  const inner = isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return typeof inner === "string" ? inner : undefined
}

/** Declarations, which are kept as a list or by name. */
const declarationsIn = (value: Json): ReadonlyArray<DeclaredProp> => {
  const entries: ReadonlyArray<readonly [unknown, Json]> = Array.isArray(value)
    ? value.map((each: Json) => [isFields(each) ? each["name"] : undefined, each] as const)
    : isFields(value)
    ? Object.entries(value)
    : []
  return entries.flatMap(([name, each]) => {
    if (typeof name !== "string" || !isFields(each) || typeof each["type"] !== "string") return []
    const { name: _, ...declaration } = each
    return [{ name, declaration }]
  })
}

/** A query as text, of which the server makes parameters itself. */
const queryOf = (value: Fields): Fields | undefined => {
  const text = typeof value["value"] === "string" ? value["value"] : value["query"]
  return typeof text === "string"
    ? { query: text, usePreparedStatements: value["usePreparedStatements"] === true }
    : undefined
}

/**
 * Reads the props of a step.
 *
 * @param steps the names of all steps, in their order
 */
export const of = (
  props: Fields,
  name: string,
  steps: ReadonlyArray<string>,
  lineOf: (path: WorkflowFile.Path) => number
): MovedProps => {
  const values: Record<string, Json> = {}
  const accounts: Record<string, string> = {}
  const stores: Record<string, string> = {}
  const refused: Record<string, Json> = {}
  const findings: Array<Omit<Finding, "file">> = []
  const sealed: Array<string> = []
  const declared: Array<DeclaredProp> = []
  let filter: Json | undefined
  const tell = (kind: Finding["kind"], prop: string, message: string) =>
    findings.push({ kind, line: lineOf([prop]), message: `${name}.${prop}: ${message}` })
  const seal = (prop: string) => {
    sealed.push(prop)
    tell("missing", prop, "was sealed there: give its value with `headwater import finish`")
  }

  for (const [prop, value] of Object.entries(props)) {
    if (value === null) continue
    if (prop === "__configurableProps") {
      declared.push(...declarationsIn(value))
      continue
    }
    if (prop === "_filter") {
      filter = value
      continue
    }
    if (prop === "_enc") {
      for (const each of isFields(value) ? Object.keys(value) : Array.isArray(value) ? value.map(String) : ["_enc"]) {
        seal(each)
      }
      continue
    }
    if (isFields(value) && Object.hasOwn(value, "_enc")) {
      seal(prop)
      continue
    }
    const account = textIn(value, "authProvisionId")
    if (account !== undefined) {
      accounts[prop] = account
      tell(
        "missing",
        prop,
        `is the account ${account} there: connect one here, and give it with \`headwater import finish\``
      )
      continue
    }
    const store = textIn(value, "storeId")
    if (store !== undefined && Object.keys(value as Fields).length === 1) {
      stores[prop] = store
      values[prop] = { storeId: storeRef(store) }
      tell(
        "missing",
        prop,
        `is the data store ${store}, which is empty here: bring its entries with \`headwater stores import\``
      )
      continue
    }
    const fault = Expression.faultIn(value, steps, name)
    if (fault !== undefined) {
      refused[prop] = value
      tell("failed", prop, `the expression {{ ${fault.source} }} is refused, and the value left out: ${fault.message}`)
      continue
    }
    const query = prop === "sql" && isFields(value) ? queryOf(value) : undefined
    Object.defineProperty(values, prop, { value: query ?? value, enumerable: true, configurable: true, writable: true })
  }
  return { values, accounts, stores, refused, sealed, declared, filter, findings }
}

/** The account there that a finding asks for. */
export const accountIn = ({ message }: Pick<Finding, "message">): string | undefined =>
  /: is the account (\S+) there: /.exec(message)?.[1]

/** The names of all props that have a value. */
export const namesIn = ({ accounts, refused, sealed, stores, values }: MovedProps): ReadonlyArray<string> => [
  ...new Set([...Object.keys({ ...values, ...stores, ...accounts, ...refused }), ...sealed])
]

/** The declarations that a step in Python comes with, and those that its values let see. */
export const declaredIn = ({ accounts, declared, stores, values }: MovedProps): ReadonlyArray<DeclaredProp> => {
  const names = new Set(declared.map(({ name }) => name))
  return [
    ...declared,
    ...Object.keys(accounts).filter((name) => !names.has(name))
      .map((name) => ({ name, declaration: { type: "app", app: name } })),
    ...Object.keys(stores).filter((name) => !names.has(name))
      .map((name) => ({ name, declaration: { type: "data_store" } })),
    ...Object.keys(values).filter((name) => !names.has(name) && stores[name] === undefined)
      .map((name) => ({ name, declaration: { type: "any", optional: true } }))
  ]
}
