import * as ListItems from "@headwater/api/ListItems"
import { ModuleBundler } from "@headwater/sandbox/ModuleBundler"
import { Console, Effect, FileSystem, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as SetupFiles from "../setup/SetupFiles.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as SetupOfAccount from "../setup/SetupOfAccount.ts"
import * as Output from "../text/Output.ts"

/** Writes an emitter's events of all streams, newest first, one JSON value a line. */
const exportEvents = Effect.fnUntraced(function*(folder: string, { id, ref }: SetupOfAccount.AccountThing) {
  const { call } = yield* ApiAccess
  const files = yield* FileSystem.FileSystem
  const path = `events/${ref}.jsonl`
  const whole = Path.join(folder, path)
  yield* files.makeDirectory(Path.dirname(whole), { recursive: true })
  yield* call(({ log }) =>
    ListItems.items((place) => log.accountEvents({ query: { emitter: [id], expand: "event", limit: 100, ...place } }))
      .pipe(
        Stream.map((event) => `${JSON.stringify(event)}\n`),
        Stream.encodeText,
        Stream.run(files.sink(whole))
      )
  )
  return path
})

/** Writes what an account is set up as into files. */
export const exportCommand = Command.make(
  "export",
  {
    folder: Argument.String("folder").pipe(
      Argument.withDescription("Where to write it: a new folder, or one of an earlier export")
    ),
    events: Flag.Boolean("events").pipe(
      Flag.withDescription("Also write the events of all sources and workflows, as JSON lines"),
      Flag.withDefault(false)
    ),
    files: Flag.Boolean("files").pipe(
      Flag.withDescription("Also write the stored files"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ events, files: withFiles, folder, json }) {
    const account = yield* SetupOfAccount.read(withFiles)
    const storedFiles = account.things.filter(({ kind }) => kind === "files")
    yield* SetupFiles.check(storedFiles)
    const written = yield* SetupFolder.write(folder, account)
    const stored = withFiles ? yield* SetupFiles.write(folder, storedFiles) : { files: [], removed: [] }
    const emitters = events
      ? account.things.filter(({ kind }) => kind === "sources" || kind === "workflows")
      : []
    const eventFiles = yield* Effect.forEach(emitters, (emitter) => exportEvents(folder, emitter)).pipe(
      Effect.catchTags({
        PlatformError: ({ message }) => Effect.fail(new CommandRefused({ message })),
        NotFoundProblem: ({ detail }) => Effect.fail(new CommandRefused({ message: detail }))
      })
    )
    const secrets = account.things.flatMap(({ ref, secrets }) =>
      Object.entries(secrets).map(([place, variable]) => ({ file: `${ref}.json`, place, variable }))
    )
    const files = [...written.files, ...stored.files, ...eventFiles]
    const removed = [...written.removed, ...stored.removed]
    yield* Output.print(
      json,
      { files, removed, secrets },
      [
        `Wrote ${files.length} files to ${folder}`,
        ...removed.map((path) => `Removed ${path}`)
      ].join("\n")
    )
    if (json || secrets.length === 0) return
    yield* Console.log(
      "Secrets are not exported. Where the set-up is applied anew, give them in the environment:\n" +
        Output.table(secrets.map(({ file, place, variable }) => [`  ${variable}`, `${file}: ${place}`]))
    )
  })
).pipe(
  Command.withDescription("Write the set-up of the account into files: what it runs, and what goes where"),
  Command.provide(ModuleBundler.layer),
  Command.provide(ApiAccess.layer)
)
