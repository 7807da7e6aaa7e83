import { Effect, FileSystem, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import { recordFile } from "./ProjectFolder.ts"

const Texts = Schema.Record(Schema.String, Schema.String)

/** A workflow that was moved, and what it has yet to be given. */
const Workflow = Schema.Struct({
  /** Its place in the set-up. */
  ref: Schema.String,
  name: Schema.String,
  /** The place of its project in the set-up. */
  project: Schema.optionalKey(Schema.String),
  /** Its folder in the project. */
  from: Schema.String,
  wasInactive: Schema.Boolean,
  /** Ids of accounts and data stores there, by the prop. */
  accounts: Texts,
  stores: Texts,
  variables: Schema.Array(Schema.String),
  /** Steps that could not be brought. */
  left: Schema.Array(Schema.String),
  /** Triggers that are subscriptions here. */
  subscriptions: Schema.Array(Schema.String),
  /** The places in the set-up of those to which they are subscribed, where these are made, too. */
  emitters: Schema.optionalKey(Texts),
  /** The URLs of its HTTP triggers there, by their ids; null for one that nobody has said. */
  endpoints: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Schema.String))),
  /** Values that the code does not take yet: others, such as an account, have to be there first. */
  withheld: Schema.Record(Schema.String, Schema.Json),
  /** Values that somebody has given here, with null for those that only the server has, and the triggers that have a source. */
  given: Schema.Struct({
    props: Schema.Record(Schema.String, Schema.Json),
    subscriptions: Schema.Array(Schema.String),
    active: Schema.Boolean
  })
})
export type Workflow = typeof Workflow.Type

/** A source that was moved. */
const Source = Schema.Struct({
  ref: Schema.String,
  /** Ids of accounts there, by the prop. */
  accounts: Texts,
  /** True if a workflow that it begins is switched on. */
  active: Schema.Boolean
})
export type Source = typeof Source.Type

const Content = Schema.Struct({
  format: Schema.Literal(1),
  /** By the id there. */
  workflows: Schema.Record(Schema.String, Workflow),
  /** By the id there. */
  sources: Schema.optionalKey(Schema.Record(Schema.String, Source)),
  /** Ids of accounts here, by those there. */
  accounts: Schema.optionalKey(Texts),
  /** Ids there of the data stores that have got their entries. */
  filled: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The hash of each file as the import has written it, by which it knows those that somebody has changed. */
  files: Texts
})
export type MovingRecord = typeof Content.Type

export const empty: MovingRecord = { format: 1, workflows: {}, files: {} }

export const hashOf = (content: Uint8Array | string): string => createHash("sha256").update(content).digest("hex")

/** The record of a folder that an import has made. */
export const read = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.option(files.readFileString(Path.join(folder, recordFile)))
  if (Option.isNone(text)) return Option.none<MovingRecord>()
  return yield* Schema.decodeEffect(Schema.fromJsonString(Content))(text.value).pipe(
    Effect.mapError(({ message }) => new CommandRefused({ message: `${Path.join(folder, recordFile)}: ${message}` })),
    Effect.asSome
  )
})

/** The record of a folder, which must be there. */
export const need = (folder: string) =>
  Effect.flatMap(read(folder), (record) =>
    Effect.mapError(
      Effect.fromOption(record),
      () =>
        new CommandRefused({
          message: `${folder} has no ${recordFile}: give the folder that the import has made with --into`
        })
    ))

export const textOf = (record: MovingRecord): string => `${JSON.stringify(record, undefined, 2)}\n`
