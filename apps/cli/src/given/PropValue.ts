import { isReference } from "@headwater/domain/AppAccount"
import { type ConfigurableProp, interfaceTypes } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import { Option, Result, Schema } from "effect"

const parseJson = Schema.decodeOption(Schema.fromJsonString(Schema.Json))

/** Types that are never text, with what their JSON looks like. */
const examples: Readonly<Record<string, string>> = {
  integer: "5",
  boolean: "true",
  "string[]": "[\"a\", \"b\"]",
  "integer[]": "[1, 2]",
  "boolean[]": "[true, false]",
  object: "{\"a\": 1}",
  [interfaceTypes.http]: "{\"event\": \"body\"}",
  [interfaceTypes.timer]: "{\"intervalSeconds\": 60}",
  app: "apn_…"
}

/** Types that may be text or anything else. */
const open: ReadonlySet<string> = new Set(["any", "sql", "data_store", "http_request"])

/** An example of the text of a prop's value, if that is not taken as it is. */
export const exampleOf = ({ type }: ConfigurableProp): string | undefined =>
  Object.hasOwn(examples, type) ? examples[type] : undefined

const formOf = ({ type }: ConfigurableProp): string =>
  type === "app" ? "the id of an account" : `JSON of the type ${type}`

/** True if a text of a step's prop may have expressions, whose values take the place of the text in each run. */
const mayHaveExpressions = ({ name }: ConfigurableProp, text: string): boolean =>
  name.includes(".") && text.includes("{{")

/** The value that a text means, by the type that the component declares. Fails with what is wrong with the text. */
export const parse = (prop: ConfigurableProp, text: string): Result.Result<Schema.Json, string> => {
  if (mayHaveExpressions(prop, text)) return Result.succeed(Option.getOrElse(parseJson(text), () => text))
  const example = exampleOf(prop)
  if (example === undefined && !open.has(prop.type)) return Result.succeed(text)
  const account = { authProvisionId: text.trim() }
  if (prop.type === "app" && isReference(account)) return Result.succeed({ ...account })
  return Option.match(parseJson(text), {
    onSome: (value) => Result.succeed(value),
    onNone: () =>
      example === undefined
        ? Result.succeed(text)
        : Result.fail(`expected ${formOf(prop)}, such as ${example}, not ${JSON.stringify(text)}`)
  })
}

/** The value that a text means of a prop whose type is not known: an account, JSON, or the text itself. */
export const ofAnyType = (text: string): Schema.Json => {
  const account = { authProvisionId: text.trim() }
  return isReference(account) ? { ...account } : Option.getOrElse(parseJson(text), () => text)
}

/** The reason why a value does not fit the prop, if it does not. */
export const faultOf = (prop: ConfigurableProp, value: Schema.Json): string | undefined => {
  const given = { [prop.name]: value }
  const resolved = ConfiguredProps.resolve([prop], undefined, given, ConfiguredProps.mayHaveExpressions)
  return Result.isFailure(resolved) ? resolved.failure[0]?.message : undefined
}
