/** An archive takes from a project beside it the ids of workflows, which no call lists, and an exported zip itself. */
import { Effect, FileSystem, Option, Predicate, Schema } from "effect"
import * as Path from "node:path"
import { CommandRefused } from "../CommandRefused.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import { isWorkflowId } from "./Archiving.ts"
import * as ProjectFolder from "./ProjectFolder.ts"
import * as ProjectPlace from "./ProjectPlace.ts"

const refuse = (message: string) => new CommandRefused({ message })

const mostManifestBytes = 16 * 1024 * 1024

const manifestIn = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const file = Path.join(folder, ArchiveFolder.manifestFile)
  const info = yield* Effect.option(files.stat(file))
  if (
    (yield* ProjectFolder.isLink(file)) || Option.isNone(info) || info.value.type !== "File" ||
    info.value.size > mostManifestBytes
  ) {
    return Option.none<Schema.Json>()
  }
  return yield* files.readFileString(file).pipe(
    Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(Schema.Json))),
    Effect.option
  )
})

/** All ids of workflows in a document whose form nobody has told. */
const idsWithin = (value: unknown): ReadonlyArray<string> => {
  const found = new Set<string>()
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (isWorkflowId(next)) found.add(next)
    else if (Array.isArray(next)) left.push(...next)
    else if (Predicate.isObject(next)) left.push(...Object.keys(next), ...Object.values(next))
  }
  return [...found].toSorted()
}

/** The ids of the workflows of a project: by the manifest of an exported one, else by the folders that git has. */
const idsOf = Effect.fnUntraced(function*(folder: string) {
  const manifest = yield* manifestIn(folder)
  if (Option.isSome(manifest)) return idsWithin(manifest.value)
  const { unread, workflows } = yield* ProjectFolder.read(folder)
  return [...workflows, ...unread].map(({ id }) => id).filter(isWorkflowId)
})

/** Keeps an exported project in an archive, which has room for one. A later export of it takes its place. */
const keep = Effect.fnUntraced(function*(
  folder: string,
  archive: string,
  project: string,
  ids: ReadonlyArray<string>
) {
  const files = yield* FileSystem.FileSystem
  const before = Option.match(yield* manifestIn(archive), {
    onNone: (): ReadonlyArray<string> => [],
    onSome: idsWithin
  })
  if (before.length > 0 && !ids.some((id) => before.includes(id))) {
    return yield* refuse(
      `${archive} has another exported project than ${project}, and keeps one: fetch an archive for each into a folder of its own`
    )
  }
  const target = Path.join(archive, ArchiveFolder.projectFolder)
  const making = `${target}.making`
  yield* files.remove(making, { recursive: true, force: true })
  yield* files.copy(folder, making)
  yield* files.chmod(making, 0o700)
  yield* files.rename(Path.join(making, ArchiveFolder.manifestFile), Path.join(archive, ArchiveFolder.manifestFile))
  yield* files.remove(target, { recursive: true, force: true })
  yield* files.rename(making, target)
}, Effect.mapError(({ message }) => refuse(message)))

/** Reads a project, wherever it is, and keeps it in an archive if it was exported. */
export const take = Effect.fnUntraced(function*(project: string, archive: string) {
  const folder = yield* ProjectPlace.open(project)
  const ids = yield* idsOf(folder)
  if (folder !== project && Option.isSome(yield* manifestIn(folder))) yield* keep(folder, archive, project, ids)
  return ids
}, Effect.scoped)
