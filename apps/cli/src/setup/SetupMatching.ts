import type { Schema } from "effect"
import type * as Setup from "./Setup.ts"
import type { Folder } from "./SetupFolder.ts"
import type { AccountThing, SetupOfAccount } from "./SetupOfAccount.ts"

/** The text that a thing without a name shows as one. */
const nameOf = ({ fields, kind }: Setup.Thing): Schema.Json => fields["name"] ?? (kind === "accounts" ? "" : null)

/** The thing of the account that each file is about. */
export const matching = ({ ids, things }: Folder, account: SetupOfAccount): Map<string, AccountThing> => {
  const matches = new Map<string, AccountThing>()
  const taken = new Set<AccountThing>()
  // Of these there may be many, and nothing but its path tells one from another.
  const stored = new Map(account.things.filter(({ kind }) => kind === "files").map((thing) => [thing.ref, thing]))
  const others = account.things.filter(({ kind }) => kind !== "files")
  const pair = (isSame: (file: Setup.Thing, present: AccountThing) => boolean) => {
    for (const file of things) {
      if (matches.has(file.ref) || file.kind === "files") continue
      const found = others.find((present) => present.kind === file.kind && !taken.has(present) && isSame(file, present))
      if (found === undefined) continue
      matches.set(file.ref, found)
      taken.add(found)
    }
  }
  for (const { kind, ref } of things) {
    const present = kind === "files" ? stored.get(ref) : undefined
    if (present !== undefined) matches.set(ref, present)
  }
  const isListening = ({ kind }: Setup.Thing) => kind === "subscriptions" || kind === "auto_subscriptions"
  const isVariable = ({ kind }: Setup.Thing) => kind === "environment_variables"
  /** They are what they name: another name makes another one. */
  const isOfNames = (thing: Setup.Thing) => isListening(thing) || isVariable(thing)
  const hasSameName = (file: Setup.Thing, present: AccountThing) =>
    ["accounts", "projects", "data_stores", "webhooks", "sources", "workflows"].includes(file.kind) &&
    nameOf(file) === nameOf(present) &&
    file.fields["app"] === present.fields["app"]
  const hasSameUrl = ({ fields }: Setup.Thing, present: AccountThing) => fields["url"] === present.fields["url"]
  const isWebhook = ({ kind }: Setup.Thing) => kind === "webhooks"
  pair((file, present) => !isOfNames(file) && ids.get(file.ref) === present.id)
  pair((file, present) => file.ref === present.ref && hasSameName(file, present) && hasSameUrl(file, present))
  pair((file, present) => isWebhook(file) && hasSameName(file, present) && hasSameUrl(file, present))
  pair((file, present) => file.ref === present.ref && hasSameName(file, present))
  pair((file, present) => hasSameName(file, present) && nameOf(file) !== null)
  pair((file, present) => isWebhook(file) && file.fields["name"] === undefined && hasSameUrl(file, present))
  // A thing that has another name by now matches only if nothing has the name that it is to have.
  pair((file, present) => !isOfNames(file) && file.ref === present.ref)
  const refOf = (ref: Schema.Json | undefined) =>
    typeof ref === "string" ? (matches.get(ref)?.ref ?? `new ${ref}`) : ref
  const endsOf = ({ fields }: Setup.Thing, translate: typeof refOf) =>
    [
      translate(fields["emitter"] ?? ""),
      translate(fields["listener"] ?? ""),
      fields["stream"] ?? ""
    ].join("\n")
  pair((file, present) =>
    isVariable(file) && nameOf(file) === nameOf(present) &&
    ["program", "project"].every((owner) => refOf(file.fields[owner]) === present.fields[owner])
  )
  const isName = (text: Schema.Json | undefined) => typeof text === "string" && /^[a-z_]+\//.test(text)
  pair((file, present) =>
    isListening(file) &&
    endsOf(file, (ref) => isName(ref) ? refOf(ref) : ref) === endsOf(present, (ref) => ref)
  )
  return matches
}
