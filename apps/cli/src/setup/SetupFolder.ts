import * as StreamName from "@headwater/domain/Stream"
import { ModuleBundler } from "@headwater/sandbox/ModuleBundler"
import { Effect, Exit, FileSystem, Option, Predicate, Schema, SchemaIssue } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as Setup from "./Setup.ts"
import * as SetupFiles from "./SetupFiles.ts"
import type { AccountThing, SetupOfAccount } from "./SetupOfAccount.ts"

/** Marks a folder as one of a set-up. */
export const marker = "headwater.json"

/** The ids that the things of the folder have on the server that they were exported from. */
const idsFile = "ids.json"

const format = 1

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const refuse = (message: string) => new CommandRefused({ message })

const render = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

const parseJson = (path: string, text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => refuse(`${path} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`)
  })

const isFound = <A, E, R>(effect: Effect.Effect<A, E, R>, otherwise: A) => Effect.orElseSucceed(effect, () => otherwise)

/** Names of the files of things in a folder, in the order in which people count. */
const jsonFiles = Effect.fnUntraced(function*(folder: string, kind: Setup.TextKind) {
  const files = yield* FileSystem.FileSystem
  const names = yield* isFound(files.readDirectory(Path.join(folder, kind)), [])
  const collator = new Intl.Collator("en", { numeric: true })
  return names.filter((name) => name.endsWith(".json")).sort(collator.compare)
})

/** Faults of folders with names that are nearly those of kinds: what they hold would be passed over. */
const misspelled = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const names = yield* isFound(files.readDirectory(folder), [])
  return names.flatMap((name) => {
    const plain = name.toLowerCase().replace(/[^a-z]/g, "").replace(/s$/, "")
    const kind = Setup.kinds.find((kind) => kind.replace(/_/g, "").replace(/s$/, "") === plain)
    return kind === undefined || kind === name || names.includes(kind) ? [] : [`${name}/: expected ${kind}/`]
  })
})

/** Kinds that a folder does not hold whose marker names none: it was written before there were such files. */
const laterKinds: ReadonlySet<Setup.Kind> = new Set(["projects", "environment_variables", "data_stores"])

/** Things of a folder, and under what id each is known on a server. */
export interface Folder {
  readonly things: ReadonlyArray<Setup.Thing>
  /** The kinds that the folder holds: of others it says nothing, not that there are none. */
  readonly kinds: ReadonlyArray<Setup.Kind>
  readonly ids: ReadonlyMap<string, string>
}

const readThing = Effect.fnUntraced(function*(folder: string, kind: Setup.TextKind, name: string) {
  const files = yield* FileSystem.FileSystem
  const path = `${kind}/${name}`
  const text = yield* files.readFileString(Path.join(folder, path)).pipe(
    Effect.mapError(({ message }) => refuse(`${path} can't be read: ${message}`))
  )
  const value = yield* parseJson(path, text)
  yield* Schema.decodeUnknownEffect(Setup.files[kind] as Schema.Codec<unknown>)(value, {
    errors: "all",
    onExcessProperty: "error"
  }).pipe(Effect.mapError(({ issue }) =>
    refuse(
      issuesOf(issue).issues.map(({ message, path: at }) =>
        `${path}: ${at === undefined || at.length === 0 ? "" : `${at.map(String).join(".")}: `}${message}`
      ).join("; ")
    )
  ))
  const { secrets = {}, ...fields } = value as { readonly secrets?: Setup.Thing["secrets"] } & Setup.Fields
  if (kind === "sources" || kind === "workflows") {
    const given = ["code", "url", "registry"].filter((field) => field in fields)
    if (given.length !== 1) {
      return yield* refuse(`${path}: expected one of code, url${kind === "sources" ? " and registry" : ""}`)
    }
  }
  if (kind === "environment_variables" && "program" in fields && "project" in fields) {
    return yield* refuse(`${path}: expected one of program and project`)
  }
  const stream = fields["stream"]
  return {
    kind,
    ref: path.replace(/\.json$/, ""),
    fields: typeof stream === "string" ? { ...fields, stream: StreamName.normalize(stream) } : fields,
    secrets
  } satisfies Setup.Thing as Setup.Thing
})

/** Reads a folder, and refuses it if any file is not as it should be. */
export const read = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const mark = yield* files.readFileString(Path.join(folder, marker)).pipe(
    Effect.mapError(() =>
      refuse(
        `${folder} has no ${marker}: it is not a folder that \`headwater export\` wrote. ` +
          "A project of a hosted service comes with `headwater import pipedream <folder>`"
      )
    )
  )
  const marked = yield* parseJson(marker, mark)
  if (!Predicate.isObject(marked) || Reflect.get(marked, "format") !== format) {
    return yield* refuse(`${marker}: format: expected ${format}, which is what this version reads`)
  }
  const named: unknown = Reflect.get(marked, "kinds")
  const isWritten = (kind: Setup.Kind) => Array.isArray(named) ? named.includes(kind) : !laterKinds.has(kind)
  const things: Array<Setup.Thing> = []
  const faults: Array<string> = [...yield* misspelled(folder)]
  for (const kind of Setup.kinds) {
    for (const name of yield* jsonFiles(folder, kind)) {
      const thing = yield* Effect.exit(readThing(folder, kind, name))
      if (Exit.isSuccess(thing)) things.push(thing.value)
      else faults.push(yield* Effect.map(Effect.flip(thing), ({ message }) => message))
    }
  }
  const stored = yield* SetupFiles.read(folder)
  faults.push(...stored.faults)
  if (faults.length > 0) return yield* refuse(faults.join("; "))
  const idsText = yield* isFound(files.readFileString(Path.join(folder, idsFile)), "{}")
  const ids = yield* parseJson(idsFile, idsText)
  return {
    // Workflows name the files that are attached to them.
    things: [...stored.things, ...things],
    kinds: [
      ...(stored.isWhole ? ["files" as const] : []),
      ...Setup.kinds.filter((kind) => isWritten(kind) || things.some((thing) => thing.kind === kind))
    ],
    ids: new Map(Object.entries(Predicate.isObject(ids) ? ids as Record<string, string> : {}))
  } satisfies Folder as Folder
})

/** The order in which the fields of a file stand. */
const contentOf = ({ fields, secrets }: Setup.Thing) => ({
  ...fields,
  ...(Object.keys(secrets).length === 0 ? {} : { secrets })
})

/** A module whose code is TypeScript gets its ending, without which no program could read it. */
const withEndings = Effect.fnUntraced(function*(things: ReadonlyArray<AccountThing>) {
  const bundler = yield* ModuleBundler
  return yield* Effect.forEach(
    things,
    Effect.fnUntraced(function*(thing) {
      const { code: path } = thing.fields
      if (typeof path !== "string" || thing.code === undefined) return thing
      const read = yield* Effect.option(bundler.read({ file: path, type: "js", text: thing.code.code }))
      if (Option.isNone(read) || read.value.file.type === "js") return thing
      return { ...thing, fields: { ...thing.fields, code: path.replace(/\.mjs$/, ".ts") } }
    })
  )
})

/** The files that were written, and those of things that the account no longer has. */
export interface Written {
  readonly files: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

const idsText = (ids: Iterable<readonly [ref: string, id: string]>) =>
  render(Object.fromEntries([...ids].sort(([one], [other]) => one < other ? -1 : 1)))

/** Writes the ids that the things of a folder have on a server. */
export const writeIds = Effect.fnUntraced(function*(folder: string, ids: ReadonlyMap<string, string>) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    files.writeFileString(Path.join(folder, idsFile), idsText(ids)),
    ({ message }) => refuse(`${folder} can't be written: ${message}`)
  )
})

/** Writes the set-up of an account. Its things that are gone lose their files; other files stay. */
export const write = Effect.fnUntraced(
  function*(folder: string, account: SetupOfAccount) {
    const files = yield* FileSystem.FileSystem
    const present = yield* isFound(files.readDirectory(folder), [])
    if (present.some((name) => !name.startsWith(".")) && !present.includes(marker)) {
      return yield* refuse(
        `${folder} is not empty, and has no ${marker}: give a new folder, or one of an earlier export`
      )
    }
    const contents = new Map<string, string>([[marker, render({ format, kinds: Setup.kinds })]])
    const things = yield* withEndings(account.things.filter(({ kind }) => kind !== "files"))
    for (const thing of things) {
      contents.set(`${thing.ref}.json`, render(contentOf(thing)))
      const { code: path } = thing.fields
      if (typeof path === "string" && thing.code !== undefined) contents.set(path, thing.code.code)
    }
    // The name of a variable is its only id.
    const withIds = things.filter(({ kind }) => kind !== "environment_variables")
    contents.set(idsFile, idsText(withIds.map(({ id, ref }) => [ref, id] as const)))

    const removed: Array<string> = []
    for (const kind of Setup.kinds) {
      for (const name of yield* jsonFiles(folder, kind)) {
        const path = `${kind}/${name}`
        const before = yield* Effect.option(readThing(folder, kind, name))
        const code = before._tag === "Some" ? before.value.fields["code"] : undefined
        for (const old of [path, ...(typeof code === "string" ? [code] : [])]) {
          if (contents.has(old) || removed.includes(old) || !isInside(old)) continue
          yield* isFound(files.remove(Path.join(folder, old)), undefined)
          removed.push(old)
        }
      }
    }
    for (const [path, text] of contents) {
      const whole = Path.join(folder, path)
      yield* files.makeDirectory(Path.dirname(whole), { recursive: true })
      yield* files.writeFileString(whole, text)
    }
    return { files: [...contents.keys()], removed } satisfies Written as Written
  },
  (effect, folder) =>
    Effect.catchTag(
      effect,
      "PlatformError",
      ({ message }) => Effect.fail(refuse(`${folder} can't be written: ${message}`))
    )
)

/** True if a path leads to a file below the folder that it is in. */
const isInside = (path: string) => !Path.isAbsolute(path) && !Path.normalize(path).startsWith("..")
