/** The folder in which all is kept that a hosted service gives of an account. */
import { Clock, Effect, FileSystem, Option, Schema } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"

const format = "headwater-archive/1"

/** Marks the folder. */
export const archiveFile = "archive.json"

/** Something that the service did not give. */
const Missing = Schema.Struct({ what: Schema.String, id: Schema.String, why: Schema.String })
export type Missing = typeof Missing.Type

const Archive = Schema.Struct({
  format: Schema.Literal(format),
  /** The base URL of the API. */
  from: Schema.String,
  owner: Schema.Struct({
    id: Schema.String,
    username: Schema.optionalKey(Schema.String),
    org: Schema.optionalKey(Schema.String)
  }),
  fetched_at: Schema.String,
  missing: Schema.Array(Missing)
})
export type Archive = typeof Archive.Type

export const accountsFile = "accounts.json"
export const accountsSealed = "accounts.sealed"
export const variablesSealed = "variables.sealed"
export const subscriptionsFile = "subscriptions.json"
export const webhooksFile = "webhooks.json"
export const manifestFile = "manifest.json"
export const projectFolder = "project"
export const sourceFile = (id: string) => `sources/${id}.json`
export const componentFile = (id: string) => `components/${id}.json`
export const workflowFile = (id: string) => `workflows/${id}.json`
export const workflowEventsFile = (id: string) => `workflows/${id}.events.json`

const refuse = (message: string) => new CommandRefused({ message })

const Content = Schema.fromJsonString(Schema.Json)

/** The record of an archive in its folder; none if it is no archive. */
export const read = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const file = Path.join(folder, archiveFile)
  const text = yield* Effect.option(files.readFileString(file))
  if (Option.isNone(text)) return Option.none<Archive>()
  return yield* Schema.decodeEffect(Schema.fromJsonString(Archive))(text.value).pipe(
    Effect.mapError(({ message }) => refuse(`${file}: ${message}`)),
    Effect.asSome
  )
})

/** An archive that is being filled. */
export interface Filling {
  /** The value of a file; none if it is not there, or not JSON. */
  readonly read: (path: string) => Effect.Effect<Option.Option<Schema.Json>>
  /** Writes a file that only the user can read, whole or not at all. */
  readonly write: (path: string, value: Schema.Json | Uint8Array) => Effect.Effect<void, CommandRefused>
  readonly has: (path: string) => Effect.Effect<boolean>
  readonly sealedFiles: Effect.Effect<ReadonlyArray<string>>
  /** True if a run before was not given this. */
  readonly wasMissing: (what: string, id: string) => boolean
  /** Notes at once that something was not given, so that a run after this one asks for it again. */
  readonly miss: (missing: Missing) => Effect.Effect<void, CommandRefused>
  /** Ends with what this run was not given. */
  readonly finish: Effect.Effect<Archive, CommandRefused>
}

/** Begins to fill a folder, or goes on with it. It must be of the same owner. */
export const fill = Effect.fnUntraced(function*(folder: string, { from, owner }: Pick<Archive, "from" | "owner">) {
  const files = yield* FileSystem.FileSystem
  const told = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.mapError(effect, ({ message }) => refuse(`${folder} can't be written: ${message}`))
  const before = yield* read(folder)
  if (Option.isNone(before)) {
    const names = yield* Effect.orElseSucceed(files.readDirectory(folder), () => [])
    if (names.length > 0) return yield* refuse(`${folder} is not empty, and no archive: give another folder`)
  } else if (before.value.owner.id !== owner.id || before.value.owner.org !== owner.org || before.value.from !== from) {
    const { from, owner } = before.value
    return yield* refuse(
      `${folder} is the archive of ${owner.org ?? owner.id} at ${from}: give another folder for another owner`
    )
  }
  const write = (path: string, value: Schema.Json | Uint8Array) =>
    told(Effect.gen(function*() {
      const whole = Path.join(folder, path)
      yield* files.makeDirectory(Path.dirname(whole), { recursive: true, mode: 0o700 })
      const making = `${whole}.making`
      yield* files.remove(making, { force: true })
      const bytes = value instanceof Uint8Array
        ? value
        : new TextEncoder().encode(`${JSON.stringify(value, undefined, 2)}\n`)
      yield* files.writeFile(making, bytes, { flag: "wx", mode: 0o600 })
      yield* files.rename(making, whole)
    }))
  const archive = (missing: ReadonlyArray<Missing>) =>
    Effect.map(Clock.currentTimeMillis, (now): Archive => ({
      format,
      from,
      owner,
      fetched_at: new Date(now).toISOString(),
      missing
    }))
  yield* told(files.makeDirectory(folder, { recursive: true, mode: 0o700 }))
  yield* told(files.chmod(folder, 0o700))
  const left = Option.match(before, { onNone: () => [], onSome: ({ missing }) => missing })
  const missing: Array<Missing> = []
  yield* write(archiveFile, yield* archive(left))
  const has = (path: string) => Effect.orElseSucceed(files.exists(Path.join(folder, path)), () => false)
  return {
    has,
    write,
    read: (path) =>
      files.readFileString(Path.join(folder, path)).pipe(Effect.flatMap(Schema.decodeEffect(Content)), Effect.option),
    wasMissing: (what, id) => left.some((each) => each.what === what && each.id === id),
    sealedFiles: Effect.filter([accountsSealed, variablesSealed], has).pipe(
      Effect.map((names) => names.map((name) => Path.join(folder, name)))
    ),
    miss: (each) =>
      Effect.suspend(() => {
        missing.push(each)
        const others = left.filter(({ id, what }) => !missing.some((one) => one.what === what && one.id === id))
        return Effect.flatMap(archive([...others, ...missing]), (soFar) => write(archiveFile, soFar))
      }),
    finish: Effect.suspend(() => archive(missing)).pipe(Effect.tap((done) => write(archiveFile, done)))
  } satisfies Filling as Filling
})
