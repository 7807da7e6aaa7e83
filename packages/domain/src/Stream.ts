import { Schema } from "effect"
import * as NearestNames from "./NearestNames.ts"
import * as Storable from "./Storable.ts"

/**
 * The name of an event stream of one emitter. The default stream's name is the empty string; `default` is another
 * spelling of it at the edge.
 */
export type StreamName = string

export const defaultStream: StreamName = ""
export const errors: StreamName = "$errors"
export const logs: StreamName = "$logs"

/** Requests that a program has acknowledged and not run yet. Internal: not listed, subscribable or deletable. */
export const requests: StreamName = "$requests"

/** The HTTP requests of a workflow: an event for each, which goes out as a delivery does. */
export const sends: StreamName = "$sends"

/** The lines that a workflow sends to object storage: an event for each, of which many go out together. */
export const objects: StreamName = "$s3"

/** Events about an account's webhooks, on the account's own log. */
export const webhooks: StreamName = "$webhooks"

/** Events about an account's accounts with apps, on the account's own log. */
export const accounts: StreamName = "$accounts"

/** Events about a server clock that can be moved, on the log of the account that moves it. */
export const clock: StreamName = "$clock"

const own: ReadonlyArray<StreamName> = [errors, logs, sends, objects, webhooks, accounts, clock]

/** True of a name that looks like that of a stream which Headwater writes itself, and is none. */
export const isUnknown = (name: StreamName): boolean => name.startsWith("$") && !own.includes(name)

/** Says of such a name which one may be meant. */
export const toldUnknown = (name: StreamName): string => {
  const [near] = NearestNames.of(name, own)
  return `Headwater writes no such stream: ${
    near === undefined ? `there are ${own.join(", ")}` : `did you mean ${near}?`
  }`
}

/** One stream of one emitter. */
export interface StreamAddress {
  readonly emitterId: string
  readonly stream: StreamName
}

/** Longest stream name, in UTF-16 units. */
export const maxLength = 200

/** The most differently named streams that one emitter may have. */
export const maxPerEmitter = 1_000

export const normalize = (name: string): StreamName => name === "default" ? defaultStream : name

/** The name at the edge: the other way of `normalize`. */
export const spelled = (name: StreamName): string => name === defaultStream ? "default" : name

/** A stream name as given by a client or by component code. */
export const StreamNameInput = Schema.String.pipe(
  Schema.check(
    Schema.isMaxLength(maxLength),
    Schema.makeFilter((name) => name !== requests, {
      expected: "a stream other than $requests, which is internal",
      toJsonSchema: () => ({ not: { enum: [requests] } })
    }),
    Schema.makeFilter(Storable.isText, {
      expected: "well-formed Unicode without the NUL character",
      toJsonSchema: () => ({})
    })
  )
)
