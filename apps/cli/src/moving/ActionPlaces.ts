import { Effect, FileSystem, Option } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as CodeEnding from "./CodeEnding.ts"
import type { ActionName } from "./StepCode.ts"

/** The place of an action. */
export interface ActionPlace {
  /** An import, or the path of a file in the set-up. */
  readonly place: string
  /** The text of that file. */
  readonly text?: string
  /** Something to know: that another version is taken, or that there is none. */
  readonly finding?: { readonly kind: "missing" | "different"; readonly message: string }
}

export const nameOf = ({ isPrivate, key, version }: ActionName): string =>
  `${isPrivate ? "@" : ""}${key}${version === undefined ? "" : `@${version}`}`

/** The app of a key, and the rest of it. */
const partsOf = (key: string): readonly [app: string, rest: string] => {
  const at = key.indexOf("-")
  return at < 0 ? [key, key] : [key.slice(0, at), key.slice(at + 1)]
}

const codeFile = /\.(?:mjs|js|mts|ts)$/

const mostFiles = 5_000

/** The file of a clone of the registry whose code has the key. */
export const inClone = Effect.fnUntraced(
  function*(clone: string, key: string, kind: "actions" | "sources" = "actions") {
    // It becomes the name of a folder and a part of a pattern.
    if (!/^[\w-]+$/.test(key)) return Option.none()
    const files = yield* FileSystem.FileSystem
    const [app] = partsOf(key)
    const root = Path.join(clone, "components", app, kind)
    const names = yield* Effect.orElseSucceed(files.readDirectory(root, { recursive: true }), () => [])
    for (const name of names.filter((name) => codeFile.test(name)).slice(0, mostFiles)) {
      const file = Path.join(root, name)
      const text = yield* Effect.orElseSucceed(files.readFileString(file), () => "")
      if (!new RegExp(`\\bkey:\\s*["'\`]${key}["'\`]`).test(text)) continue
      return Option.some({ file, version: /\bversion:\s*["'`]([^"'`]+)["'`]/.exec(text)?.[1] })
    }
    return Option.none<{ readonly file: string; readonly version: string | undefined }>()
  }
)

/** True if the server can load a step from an import. */
const isLoaded = Effect.fnUntraced(
  function*(specifier: string) {
    const { call } = yield* ApiAccess
    const workflow_code = `import step from ${JSON.stringify(specifier)}\nexport default { steps: { step } }\n`
    const { data } = yield* call(({ code }) => code.check({ headers: {}, payload: { workflow_code } }))
    return data.errors.length === 0
  },
  Effect.catchIf(
    (error) => !(error instanceof CommandRefused) && error._tag !== "ServerAway" && error._tag !== "KeyRefused",
    () => Effect.succeed(false)
  )
)

/** A component of an archive, with its code. */
export interface ArchivedCode {
  readonly key: string
  readonly version: string | undefined
  readonly code: string
}

/** True if code is whole by itself: that of the public registry imports others of its files. */
export const isWhole = (code: string): boolean =>
  !/\b(?:from|import|require\s*\(|import\s*\()\s*["'`]\.{1,2}\//.test(code)

/** The action as an archive has it, in its version. */
const fromArchive = ({ key, version }: ActionName, archived: ReadonlyArray<ArchivedCode>): ActionPlace | undefined => {
  const found = archived.find((each) =>
    each.key === key && (version === undefined || each.version === version) && isWhole(each.code)
  )
  if (found === undefined) return undefined
  const name = found.version === undefined ? key : `${key}-${found.version.replace(/[^\w.+-]+/g, "_")}`
  return { place: `actions/${name}.${CodeEnding.of("", found.code)}`, text: found.code }
}

/** The action as one module of a clone of the registry; a finding where that can't be made. */
const fromClone = Effect.fnUntraced(function*({ key, version }: ActionName, pinned: string, clone: string) {
  const found = yield* inClone(clone, key)
  if (Option.isNone(found)) return undefined
  const bundler = yield* ComponentFiles
  const { file, version: other } = found.value
  return yield* bundler.bundle(file, new Set()).pipe(
    Effect.map(({ code }): ActionPlace => ({
      place: `actions/${key}.mjs`,
      text: code,
      ...(version === undefined || other === version ? {} : {
        finding: {
          kind: "different",
          message: `${pinned} is version ${other ?? "unknown"} in ${clone}, which is taken`
        }
      })
    })),
    Effect.catch(({ message }) => Effect.succeed({ fault: `${pinned} can't be taken from ${clone} (${message})` }))
  )
})

/** Finds an action elsewhere: among what the account has saved and the server publishes, or in npm. */
const published = Effect.fnUntraced(function*({ isPrivate, key, version }: ActionName, pinned: string) {
  if (version !== undefined && (yield* isLoaded(`registry:${pinned}`))) {
    return { place: `registry:${pinned}` } satisfies ActionPlace as ActionPlace
  }
  if (yield* isLoaded(`registry:${key}`)) {
    return {
      place: `registry:${key}`,
      ...(version === undefined ? {} : {
        finding: {
          kind: "different",
          message: `${pinned} is not here in this version: the newest that is here is taken`
        } as const
      })
    } satisfies ActionPlace as ActionPlace
  }
  const [app, rest] = partsOf(key)
  const npm = `npm:@pipedream/${app}/actions/${rest}/${rest}.mjs`
  if (!isPrivate && (yield* isLoaded(npm))) {
    return {
      place: npm,
      finding: { kind: "different", message: `${pinned} is taken from ${npm}, in the version of that package` }
    } satisfies ActionPlace as ActionPlace
  }
  return {
    place: `registry:${key}`,
    finding: {
      kind: "missing",
      message: isPrivate
        ? `${pinned} is an action of the workspace's own, whose code is not in the folder: save it here ` +
          `(POST /v1/components), and import again`
        : `${pinned} is neither saved here nor in npm: import again with --registry <git clone of the registry>`
    }
  } satisfies ActionPlace as ActionPlace
})

/**
 * Finds an action: in a clone of the registry or an archive, in its version before any other, among what the account has
 * saved and the server publishes, or in npm.
 */
export const find = Effect.fnUntraced(function*(
  action: ActionName,
  clone: string | undefined,
  archived: ReadonlyArray<ArchivedCode> = []
) {
  const { isPrivate, key, version } = action
  const pinned = version === undefined ? key : `${key}@${version}`
  const cloned = clone === undefined || isPrivate ? undefined : yield* fromClone(action, pinned, clone)
  if (cloned !== undefined && "place" in cloned && cloned.finding === undefined) return cloned
  const own = fromArchive(action, archived)
  if (own !== undefined) return own
  if (cloned !== undefined && "place" in cloned) return cloned
  const place = yield* published(action, pinned)
  if (cloned === undefined) return place
  const { finding: { kind, message } = { kind: "different", message: `${place.place} is taken` } as const } = place
  return { ...place, finding: { kind, message: `${cloned.fault}: ${message}` } } satisfies ActionPlace as ActionPlace
})
