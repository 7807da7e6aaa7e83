import declared from "headwater:component-types"
import type { Prop } from "../resources/Props.ts"
import type { Member, Type, Types } from "./ComponentTypes.ts"

const types: Types = declared

/** Code of which the editor completes names. */
export interface CompletedCode {
  readonly props: ReadonlyArray<Prop>
  /** The names of a workflow's steps; undefined for a source. */
  readonly steps: ReadonlyArray<string> | undefined
}

/** A completion, its type and what it is. */
export type Completion = Pick<Member, "label" | "detail" | "info">

const named = (name: string): Type => {
  const [of, member] = name.split(".")
  const found = Object.hasOwn(types, of!) ? types[of!]! : []
  return member === undefined ? found : membersOf(found).find(({ label }) => label === member)?.type ?? []
}

const membersOf = (type: Type): ReadonlyArray<Member> =>
  type.flatMap((part) => typeof part === "string" ? membersOf(named(part)) : part)

/** The name of a prop on `this`. The full name of a step's prop begins with the step's name. */
const nameOf = ({ name }: Prop): string => name.slice(name.lastIndexOf(".") + 1)

const typeOf = (table: string, prop: string): Type =>
  membersOf(named(table)).find(({ label }) => label === prop)?.type ?? []

/** A prop of these types is not in the table of the types of props, since its own depends on more. */
const ofOthers: Readonly<Record<string, Type>> = { "$.service.db": ["Store"], app: ["AppInstance"] }

const member = (label: string, detail: string, type: Type): Member => ({ label, detail, info: "", type })

/** The names that stand alone in code. */
const rootOf = ({ props, steps }: CompletedCode): ReadonlyArray<Member> => {
  const own = props.map((prop) =>
    member(nameOf(prop), prop.type, ofOthers[prop.type] ?? typeOf("ValueOfType", prop.type))
  )
  const event: Type = props.flatMap(({ type }) => typeOf("EventOfInterface", type))
  if (steps === undefined) {
    return [member("this", "", [own, "SourceThis"]), member("event", "", event)]
  }
  const trigger = membersOf(named("Trigger")).map((one) => one.label === "event" ? { ...one, type: event } : one)
  return [
    member("this", "", [own]),
    member("$", "", ["StepServices"]),
    member("steps", "", [[
      member("trigger", "", [trigger]),
      ...steps.map((step) => member(step, "a step", ["StepResult"]))
    ]])
  ]
}

const once = (members: ReadonlyArray<Completion>): ReadonlyArray<Completion> => [
  ...new Map(members.map((one) => [one.label, one])).values()
]

/** The names that can follow a name, or names with dots between them, and a dot. */
export const after = (names: string, code: CompletedCode): ReadonlyArray<Completion> => {
  const found = names.split(".").reduce<Type>(
    (type, name) => membersOf(type).filter(({ label }) => label === name).flatMap(({ type }) => type),
    [rootOf(code)]
  )
  return once(membersOf(found))
}

/** The types that props can have. */
export const propTypes = (): ReadonlyArray<Completion> => [
  ...Object.keys(ofOthers).map((label) => ({ label, detail: "", info: "" })),
  ...membersOf(named("ValueOfType"))
]
