/** The account's stored files in a set-up: `files/<path>` has the bytes of each, and `files.json` its type. */
import * as OwnMember from "@headwater/domain/OwnMember"
import { filePathExpected, isFilePath, isOfEvents, onlyOfEvents } from "@headwater/domain/StoredFile"
import { Effect, FileSystem, Schema, Stream } from "effect"
import * as Crypto from "node:crypto"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import type * as Setup from "./Setup.ts"
import type { AccountThing } from "./SetupOfAccount.ts"

const kind = "files"

/** Tells the types of the files, and that the folder holds all of the account. */
const typesFile = "files.json"

const Types = Schema.fromJsonString(
  Schema.Record(Schema.String, Schema.Struct({ content_type: Schema.NullOr(Schema.String) }))
)
type Types = typeof Types.Type

const refuse = (message: string) => new CommandRefused({ message })

const refused = ({ message }: { readonly message: string }) => refuse(message)

export const refOf = (path: string): string => `${kind}/${path}`

/** The path of a file in the account's store. */
export const pathOf = ({ ref }: Setup.Thing): string => ref.slice(kind.length + 1)

/** The longest name of a file that a file system takes, in bytes. */
const longestName = 255

/** The reasons why files of these paths can't all lie in a folder, wherever it is copied to. */
const pathFaults = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Map<string, { readonly path: string; readonly isFile: boolean }>()
  const faults: Array<string> = []
  for (const path of paths) {
    if (!isFilePath(path)) {
      faults.push(`${JSON.stringify(refOf(path))} is not ${filePathExpected}`)
      continue
    }
    if (path.includes("\\") || path.split("/").some((name) => Buffer.byteLength(name) > longestName)) {
      faults.push(
        `${JSON.stringify(refOf(path))}: a file in a folder has a name of at most ${longestName} bytes, without \\`
      )
      continue
    }
    const names = path.split("/")
    for (let length = 1; length <= names.length; length++) {
      const part = names.slice(0, length).join("/")
      const isFile = length === names.length
      // Some file systems take small and large letters, or the two forms of a letter with an accent, for the same.
      const key = part.normalize("NFC").toLowerCase()
      const other = known.get(key)
      if (other === undefined) {
        known.set(key, { path: part, isFile })
      } else if (other.path !== part || other.isFile || isFile) {
        faults.push(`${JSON.stringify(refOf(path))}: can't lie in a folder beside ${JSON.stringify(refOf(other.path))}`)
        break
      }
    }
  }
  return faults
}

const isLink = Effect.fnUntraced(function*(path: string) {
  const { readLink } = yield* FileSystem.FileSystem
  return yield* Effect.match(readLink(path), { onFailure: () => false, onSuccess: () => true })
})

/** The SHA-256 of a file's bytes in hexadecimal digits. */
const hashOf = Effect.fnUntraced(function*(path: string) {
  const { stream } = yield* FileSystem.FileSystem
  const hash = yield* Stream.runFold(
    stream(path),
    () => Crypto.createHash("sha256"),
    (hash, bytes) => hash.update(bytes)
  )
  return hash.digest("hex")
})

const readTypes = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = Path.join(folder, typesFile)
  if (!(yield* files.exists(path))) return undefined
  return yield* Effect.flatMap(files.readFileString(path), Schema.decodeUnknownEffect(Types)).pipe(
    Effect.mapError(({ message }) => refuse(`${typesFile}: ${message}`))
  )
})

/** The paths of the files below a folder. A link is none: it could lead to a file that nobody means to give away. */
const walk = (folder: string, below: string): Effect.Effect<
  { readonly paths: ReadonlyArray<string>; readonly faults: ReadonlyArray<string> },
  CommandRefused,
  FileSystem.FileSystem
> =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const paths: Array<string> = []
    const faults: Array<string> = []
    for (const name of (yield* files.readDirectory(Path.join(folder, below))).toSorted()) {
      const ref = `${below}/${name}`
      const whole = Path.join(folder, ref)
      const type = (yield* isLink(whole)) ? "SymbolicLink" : (yield* files.stat(whole)).type
      if (type === "Directory") {
        const found = yield* walk(folder, ref)
        paths.push(...found.paths)
        faults.push(...found.faults)
      } else if (type === "File") paths.push(ref.slice(kind.length + 1))
      else faults.push(`${ref}: is no file, but of the type ${type}`)
    }
    return { paths, faults }
  }).pipe(Effect.catchTag("PlatformError", (error) => Effect.fail(refused(error))))

/** The files that a folder has, and whether the account is to have no other ones. */
export const read = Effect.fnUntraced(
  function*(folder: string) {
    const files = yield* FileSystem.FileSystem
    const types = yield* readTypes(folder)
    const none = { paths: [], faults: [] }
    const isThere = yield* files.exists(Path.join(folder, kind))
    const { faults, paths } = !isThere ? none : (yield* isLink(Path.join(folder, kind)))
      ? { ...none, faults: [`${kind}: is no folder, but a link`] }
      : yield* walk(folder, kind)
    const things = yield* Effect.forEach(
      paths,
      (path) =>
        Effect.map(hashOf(Path.join(folder, refOf(path))), (sha256): Setup.Thing => {
          const type = types === undefined ? undefined : OwnMember.get(types, path)
          return {
            kind,
            ref: refOf(path),
            fields: { sha256, ...(type === undefined ? {} : { content_type: type.content_type }) },
            secrets: {}
          }
        })
    )
    return {
      things,
      isWhole: types !== undefined,
      faults: [
        ...faults,
        ...paths.flatMap((path) =>
          !isFilePath(path)
            ? [`${refOf(path)} is not ${filePathExpected}`]
            : isOfEvents(path)
            ? [`${refOf(path)}: ${onlyOfEvents}`]
            : []
        )
      ]
    }
  },
  Effect.catchTag("PlatformError", (error) => Effect.fail(refused(error)))
)

/** Fails if the account's files can't all lie in a folder. */
export const check = (stored: ReadonlyArray<AccountThing>) => {
  const faults = pathFaults(stored.map(pathOf))
  return faults.length === 0 ? Effect.void : Effect.fail(refuse(faults.join("; ")))
}

/** Makes the folders that a file lies in. None of them may lead elsewhere. */
const makeFolders = Effect.fnUntraced(function*(folder: string, ref: string) {
  const files = yield* FileSystem.FileSystem
  const names = ref.split("/").slice(0, -1)
  for (let length = 1; length <= names.length; length++) {
    const part = names.slice(0, length).join("/")
    const whole = Path.join(folder, part)
    if (yield* isLink(whole)) return yield* refuse(`${part}: is a link, and may lead out of the folder`)
    if (!(yield* files.exists(whole))) yield* files.makeDirectory(whole)
  }
})

/** Removes the file of an earlier export, and the folders that it leaves empty. Answers whether there was one. */
const remove = Effect.fnUntraced(function*(folder: string, ref: string) {
  const files = yield* FileSystem.FileSystem
  const names = ref.split("/")
  for (let length = 1; length < names.length; length++) {
    if (yield* isLink(Path.join(folder, ...names.slice(0, length)))) return false
  }
  const whole = Path.join(folder, ref)
  if (!(yield* isLink(whole)) && !(yield* files.exists(whole))) return false
  yield* files.remove(whole)
  for (let length = names.length - 1; length > 1; length--) {
    const above = Path.join(folder, ...names.slice(0, length))
    if ((yield* files.readDirectory(above)).length > 0) break
    yield* files.remove(above, { recursive: true })
  }
  return true
})

/** Reads a file from the account. It takes its place when it is whole. Answers false if it is gone by now. */
const fetch = Effect.fnUntraced(function*(folder: string, between: string, { fields, ref }: AccountThing) {
  const { call } = yield* ApiAccess
  const files = yield* FileSystem.FileSystem
  yield* makeFolders(folder, ref)
  const whole = Path.join(folder, ref)
  const isThere = !(yield* isLink(whole)) && (yield* files.exists(whole))
  if (isThere && (yield* hashOf(whole)) === fields["sha256"]) return true
  const made = Path.join(between, "file")
  const isRead = yield* call((client) =>
    Effect.flatMap(
      client.files.read({ query: { path: ref.slice(kind.length + 1) } }),
      (bytes) => Stream.run(bytes, files.sink(made)).pipe(Effect.catchTag("PlatformError", refused))
    )
  ).pipe(Effect.as(true), Effect.catchTag("NotFoundProblem", () => Effect.succeed(false)))
  if (isRead) yield* files.rename(made, whole)
  return isRead
})

/** Writes files of the account, and removes those of an earlier export that it no longer has. */
export const write = Effect.fnUntraced(
  function*(folder: string, stored: ReadonlyArray<AccountThing>) {
    const files = yield* FileSystem.FileSystem
    const refs = new Set(stored.map(({ ref }) => ref))
    const before = Object.keys((yield* readTypes(folder)) ?? {}).filter((path) => isFilePath(path)).map(refOf)
    const removed = yield* Effect.filter(before.filter((ref) => !refs.has(ref)), (ref) => remove(folder, ref))
    const between = yield* files.makeTempDirectoryScoped({ directory: folder, prefix: ".files-" })
    const written = yield* Effect.filter(stored, (thing) => fetch(folder, between, thing))
    const types: Types = Object.fromEntries(
      written.map((thing) => [pathOf(thing), { content_type: thing.fields["content_type"] as string | null }])
    )
    yield* files.writeFileString(Path.join(folder, typesFile), `${JSON.stringify(types, undefined, 2)}\n`)
    return { files: [...written.map(({ ref }) => ref), typesFile], removed }
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", (error) => Effect.fail(refused(error)))
)
