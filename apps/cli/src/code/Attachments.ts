import { Effect, FileSystem, Stream } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ContentType from "../given/ContentType.ts"

/** The folder of a workflow whose files are attached to it. */
const folderName = "attachments"

const refused = ({ message }: { readonly message: string }) => new CommandRefused({ message })

/** The files in the folder `attachments` of a workflow's folder, by their names; none if there is no such folder. */
export const find = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const place = Path.join(folder, folderName)
  const names = yield* files.readDirectory(place).pipe(Effect.orElseSucceed(() => undefined))
  if (names === undefined) return undefined
  const found = names.filter((name) => !name.startsWith(".")).toSorted().map((name) =>
    [name, Path.join(place, name)] as const
  )
  return yield* Effect.filter(
    found,
    ([, path]) => Effect.map(Effect.mapError(files.stat(path), refused), ({ type }) => type === "File")
  )
})

/** Writes the files into the account's store, below `attachments/<workflow>`. Answers their paths there by their names. */
export const upload = Effect.fnUntraced(
  function*(workflow: string, found: ReadonlyArray<readonly [name: string, path: string]>) {
    const { call } = yield* ApiAccess
    const { stream } = yield* FileSystem.FileSystem
    const below = `${folderName}/${workflow.replaceAll(/[^\p{L}\p{N} _-]+/gu, "-")}`
    const stored = yield* Effect.forEach(found, ([name, file]) => {
      const path = `${below}/${name}`
      return Effect.as(
        call(({ files }) =>
          files.write({
            headers: { "content-type": ContentType.ofPath(name) },
            query: { path },
            payload: Stream.mapError(stream(file), refused)
          })
        ),
        [name, path] as const
      )
    })
    return Object.fromEntries(stored)
  }
)
