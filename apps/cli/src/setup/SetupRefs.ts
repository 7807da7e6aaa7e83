/** The names by which props mean accounts with apps, `{"authProvisionId": "accounts/…"}`, and data stores, `{"storeId": "data_stores/…"}`. */
import { Predicate, type Schema } from "effect"
import type * as Setup from "./Setup.ts"

export const accountsIn = ({ fields }: Setup.Thing): ReadonlyArray<readonly [prop: string, ref: Schema.Json]> =>
  Object.entries(propsOf(fields) ?? {}).flatMap(([prop, value]) =>
    Predicate.isObject(value) && "authProvisionId" in value
      ? [[prop, (value as Setup.Fields)["authProvisionId"]!] as const]
      : []
  )

/** The name in the set-up of the data store that a value is. Other values may have a member of the name, too. */
const storeIn = (value: Schema.Json): string | undefined => {
  if (!Predicate.isObject(value) || Object.keys(value).length !== 1) return undefined
  const ref: unknown = Reflect.get(value, "storeId")
  return typeof ref === "string" && ref.startsWith("data_stores/") ? ref : undefined
}

export const storesIn = ({ fields }: Setup.Thing): ReadonlyArray<readonly [prop: string, ref: string]> =>
  Object.entries(propsOf(fields) ?? {}).flatMap(([prop, value]) => {
    const ref = storeIn(value)
    return ref === undefined ? [] : [[prop, ref] as const]
  })

export const propsOf = (fields: Setup.Fields) => fields["configured_props"] as Setup.Fields | undefined

/** Values with ids in place of the names of accounts with apps and of data stores. */
export const propsWithIds = (
  values: Setup.Fields,
  idOf: (ref: string) => string | undefined
): Setup.Fields =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const store = storeIn(value)
      if (store !== undefined) return [name, idOf(store) ?? store]
      if (!Predicate.isObject(value)) return [name, value]
      const ref: unknown = Reflect.get(value, "authProvisionId")
      return [name, typeof ref === "string" ? { ...value as object, authProvisionId: idOf(ref) ?? ref } : value]
    })
  ) as Setup.Fields
