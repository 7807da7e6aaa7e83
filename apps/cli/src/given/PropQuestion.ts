import type { ConfigurableProp } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import { Effect, Predicate, Redacted, Result, type Schema } from "effect"
import { Prompt } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as PropValue from "./PropValue.ts"

type Choices = ReadonlyArray<{ readonly title: string; readonly value: Schema.Json }>

const messageOf = ({ description, label, name }: ConfigurableProp): string => {
  const title = label === undefined || label === name ? name : `${label} (${name})`
  return description === undefined ? title : `${title}: ${description.trim().replace(/\s+/g, " ")}`
}

/** The values to choose from, by the labels that the code gives them. */
const optionsOf = (prop: ConfigurableProp): Choices => {
  const labels = Array.isArray(prop["options"]) ? prop["options"] as ReadonlyArray<Schema.Json> : []
  return (ConfiguredProps.optionValues(prop) ?? []).map((value, index) => {
    const option = labels[index]
    const label = Predicate.isObject(option) && "label" in option ? option["label"] : value
    return { title: Predicate.isString(label) ? label : JSON.stringify(label), value }
  })
}

/** The user's accounts with the prop's app. */
const accountsFor = Effect.fnUntraced(function*({ app }: ConfigurableProp) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ appAccounts }) => appAccounts.list({ query: { limit: 100 } }))
  return data.filter((account) => account.app === app).map(({ id, name }) => ({
    title: name === "" ? id : `${name} (${id})`,
    value: { authProvisionId: id }
  }))
})

/** A hint at the origin of an app prop's value; none for other props. */
export const howToGetOne = ({ app, type }: ConfigurableProp): ReadonlyArray<string> =>
  type === "app"
    ? [`\`headwater credentials create ${Predicate.isString(app) ? app : "<app>"}\` creates an account with the app`]
    : []

const askText = Effect.fnUntraced(function*(prop: ConfigurableProp) {
  const example = PropValue.exampleOf(prop)
  const hints = [...(example === undefined ? [] : [`such as ${example}`]), ...howToGetOne(prop)]
  const message = messageOf(prop) + (hints.length === 0 ? "" : ` (${hints.join("; ")})`)
  const validate = (text: string) => {
    const parsed = PropValue.parse(prop, text)
    const fault = text === ""
      ? "a value is required"
      : Result.isFailure(parsed)
      ? parsed.failure
      : PropValue.faultOf(prop, parsed.success)
    return fault === undefined ? Effect.succeed(text) : Effect.fail(fault)
  }
  const text = prop["secret"] === true
    ? Redacted.value(yield* Prompt.Hidden({ message, validate }))
    : yield* Prompt.String({ message, validate })
  // Validated before it was submitted.
  return Result.getOrThrow(PropValue.parse(prop, text))
})

/** Asks at the terminal for the value of a prop: to choose where there are options, unseen where it is secret. */
export const ask = Effect.fnUntraced(function*(prop: ConfigurableProp) {
  const message = messageOf(prop)
  const choices: Choices = prop.type === "app" ? yield* accountsFor(prop) : optionsOf(prop)
  if (choices.length > 0) {
    return prop.type.endsWith("[]")
      ? yield* Prompt.MultiSelect({ message, choices, min: 1 })
      : yield* Prompt.Select({ message, choices })
  }
  return prop.type === "boolean" ? yield* Prompt.Confirm({ message }) : yield* askText(prop)
})
