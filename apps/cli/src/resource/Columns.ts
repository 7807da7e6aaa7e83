import * as StreamName from "@headwater/domain/Stream"
import * as Output from "../text/Output.ts"
import { valueOf } from "../text/ThingText.ts"
import type { Column } from "./Resource.ts"

/** A field as it stands; nothing for none. */
export const field = (head: string, name: string): Column => ({
  head,
  of: (thing) => thing[name] === null || thing[name] === undefined ? "" : valueOf(name, thing[name])
})

export const id = field("ID", "id")
export const name = field("NAME", "name")
export const slug = field("SLUG", "name_slug")
export const active: Column = { head: "ACTIVE", of: (thing) => thing["active"] === true ? "yes" : "no" }
export const stream: Column = { head: "STREAM", of: (thing) => StreamName.spelled(String(thing["event_name"])) }
export const created: Column = { head: "CREATED", of: (thing) => Output.time(Number(thing["created_at"])) }

/** A thing by its name where it has one. */
export const named = (head: string, name: string): Column => ({
  head,
  of: (thing, names) => names.get(String(thing[name])) ?? String(thing[name])
})

export const filter: Column = {
  head: "FILTER",
  of: (thing) => thing["filter"] === undefined ? "" : JSON.stringify(thing["filter"])
}

/** A time in milliseconds. */
export const timeOfMs = (head: string, name: string): Column => ({
  head,
  of: (thing) => Output.timeOfMs(thing[name] as number | null)
})
