import type { Schema } from "effect"
import * as Setup from "./Setup.ts"
import type { Folder } from "./SetupFolder.ts"
import type { SetupOfAccount } from "./SetupOfAccount.ts"
import { accountsIn, storesIn } from "./SetupRefs.ts"

/** A fault of a field of a file, as people are told of it. */
export const at = (thing: Setup.Thing, field: string, message: string) => `${Setup.fileOf(thing)}: ${field}: ${message}`

/** Faults of names in fields that no file has. */
const unknownRefs = ({ things }: Folder, account: SetupOfAccount): ReadonlyArray<string> => {
  const known = new Set(things.map(({ ref }) => ref))
  const ids = new Set(account.things.map(({ id }) => id))
  const faultOf = (
    thing: Setup.Thing,
    field: string,
    value: Schema.Json | undefined,
    kinds: ReadonlyArray<Setup.Kind>
  ) => {
    if (typeof value !== "string" || known.has(value)) return []
    const expected = `there is no file ${value}.json`
    if (kinds.some((kind) => value.startsWith(`${kind}/`))) return [at(thing, field, expected)]
    // A variable is known by the file of its program or project, and a project by its own, whatever the ids are.
    if (field === "program" || field === "project") {
      return [at(thing, field, `expected ${kinds.map((kind) => `${kind}/<name>`).join(" or ")}`)]
    }
    if (field === "emitter" && (value === Setup.account || /[*?]/.test(value))) return []
    return ids.has(value) ? [] : [at(thing, field, `expected ${kinds.map((kind) => `${kind}/<name>`).join(" or ")}`)]
  }
  return things.flatMap((thing) => [
    ...faultOf(thing, "emitter", thing.fields["emitter"], ["sources", "workflows"]),
    ...faultOf(thing, "listener", thing.fields["listener"], ["sources", "workflows", "webhooks"]),
    ...faultOf(thing, "program", thing.fields["program"], ["sources", "workflows"]),
    ...faultOf(thing, "project", thing.fields["project"], ["projects"]),
    ...accountsIn(thing).flatMap(([prop, ref]) => faultOf(thing, `configured_props.${prop}`, ref, ["accounts"])),
    ...storesIn(thing).flatMap(([prop, ref]) => faultOf(thing, `configured_props.${prop}`, ref, ["data_stores"]))
  ])
}

/** Faults of files that say what another one says: of these an account has one of a kind. */
const repeated = ({ things }: Folder): ReadonlyArray<string> => {
  const first = new Map<string, string>()
  return things.flatMap((thing) => {
    const { fields, kind, ref } = thing
    const isNamed = ["projects", "environment_variables", "data_stores"].includes(kind)
    if (kind !== "subscriptions" && kind !== "auto_subscriptions" && !isNamed) return []
    const key = isNamed
      ? JSON.stringify([kind, fields["name"], fields["program"] ?? null, fields["project"] ?? null])
      : JSON.stringify([kind, fields["emitter"] ?? null, fields["listener"], fields["stream"] ?? ""])
    const other = first.get(key)
    if (other === undefined) first.set(key, ref)
    if (other === undefined) return []
    return isNamed
      ? [at(thing, "name", `${other}.json has the same name`)]
      : [at(thing, "listener", `${other}.json has the same ends and stream`)]
  })
}

const possiblePlaces: Partial<Record<Setup.Kind, RegExp>> = {
  accounts: /^(credentials|oauth\.client_secret)$/,
  environment_variables: /^value$/,
  webhooks: /^(url|tls\.key|secret_headers\..+)$/,
  sources: /^configured_props\..+$/,
  workflows: /^configured_props\..+$/
}

/** Faults of secrets that would be put nowhere. */
const misplacedSecrets = ({ things }: Folder): ReadonlyArray<string> =>
  things.flatMap((thing) =>
    Object.keys(thing.secrets).filter((place) => possiblePlaces[thing.kind]?.test(place) !== true)
      .map((place) => at(thing, `secrets.${place}`, "there is no such field that can be secret"))
  )

/** The faults that the files of a folder have by themselves, before anybody is asked. */
export const faultsOf = (files: Folder, account: SetupOfAccount): ReadonlyArray<string> => [
  ...unknownRefs(files, account),
  ...repeated(files),
  ...misplacedSecrets(files)
]
