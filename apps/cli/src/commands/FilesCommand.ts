import * as ListItems from "@headwater/api/ListItems"
import { filePathExpected, isFilePath } from "@headwater/domain/StoredFile"
import { Effect, FileSystem, Option, Stdio, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as ContentType from "../given/ContentType.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"

const path = Argument.String("path").pipe(
  Argument.withDescription("The file's path in the store"),
  Argument.filter(isFilePath, () => filePathExpected)
)

const list = Command.make(
  "list",
  {
    prefix: Argument.String("prefix").pipe(
      Argument.withDescription("Only files whose paths begin so. Default: all"),
      Argument.withDefault("")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, prefix }) {
    const { call } = yield* ApiAccess
    const found = yield* call(({ files }) =>
      Stream.runCollect(ListItems.items((place) => files.list({ query: { limit: 100, prefix, ...place } })))
    )
    const inOrder = found.toSorted((one, other) => one.path < other.path ? -1 : 1)
    const rows = inOrder.map(({ content_type, path, size, updated_at }) => [
      path,
      String(size),
      content_type ?? "",
      Output.time(updated_at)
    ])
    yield* Output.list(json, inOrder, {
      heads: ["PATH", "BYTES", "TYPE", "WRITTEN"],
      rows,
      none: prefix === ""
        ? "There is no file yet. Write the first with: headwater files put PATH FILE"
        : "No file matches."
    })
  })
).pipe(Command.withDescription("List the files of your account in the order of their paths"), Command.withAlias("ls"))

const refused = ({ message }: { readonly message: string }) => new CommandRefused({ message })

const get = Command.make(
  "get",
  {
    path,
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The file to write. Default: standard output"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function*({ output, path }) {
    const { call } = yield* ApiAccess
    const { sink } = yield* FileSystem.FileSystem
    const { stdout } = yield* Stdio.Stdio
    yield* call(({ files }) =>
      Effect.flatMap(files.read({ query: { path } }), (bytes) =>
        Option.isSome(output)
          ? Stream.run(bytes, sink(output.value)).pipe(Effect.catchTag("PlatformError", (error) => refused(error)))
          : Stream.run(bytes, stdout({ endOnDone: false })).pipe(
            Effect.catchTag("PlatformError", (error) => refused(error))
          ))
    )
  })
).pipe(
  Command.withDescription("Read a file"),
  Command.withExamples([
    { command: "headwater files get reports/7.pdf -o 7.pdf", description: "Downloads it" }
  ])
)

const put = Command.make(
  "put",
  {
    path,
    file: Argument.String("file").pipe(Argument.withDescription("The file to send; - for standard input")),
    type: Flag.String("type").pipe(
      Flag.withDescription("Its content type. Default: by the ending of its path"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ file, json, path, type }) {
    const { call } = yield* ApiAccess
    const { access, stream } = yield* FileSystem.FileSystem
    const { stdin } = yield* Stdio.Stdio
    // Else the failure would be told as that of the connection.
    if (file !== "-") yield* Effect.mapError(access(file, { readable: true }), refused)
    const { data } = yield* call(({ files }) =>
      files.write({
        headers: { "content-type": Option.getOrElse(type, () => ContentType.ofPath(path)) },
        query: { path },
        payload: Stream.mapError(file === "-" ? stdin : stream(file), refused)
      })
    )
    yield* Output.print(json, data, `Wrote ${data.size} bytes to ${path}.`)
  }, FlagWords.inFlags({ path: "<path>", "content-type": "--type" }))
).pipe(
  Command.withDescription("Write a file, in place of the one at its path"),
  Command.withExamples([
    { command: "headwater files put reports/7.pdf 7.pdf", description: "Uploads it" },
    { command: "date | headwater files put now.txt -", description: "Reads the content from standard input" }
  ])
)

const remove = Command.make(
  "delete",
  { path, yes: Confirmation.flag, json: Output.json },
  Effect.fnUntraced(function*({ json, path, yes }) {
    const { call } = yield* ApiAccess
    yield* Confirmation.ask(`Delete the file ${path}?`, yes)
    yield* call(({ files }) => files.delete({ query: { path } }))
    yield* Output.print(json, { path, deleted: true }, `Deleted ${path}.`)
  })
).pipe(Command.withDescription("Delete a file"), Command.withAlias("rm"))

const url = Command.make(
  "url",
  { path, json: Output.json },
  Effect.fnUntraced(function*({ json, path }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ files }) => files.url({ query: { path } }))
    yield* Output.print(json, data, data.url)
  })
).pipe(Command.withDescription("Print a URL at which anybody can read a file for half an hour"))

export const filesCommand = Command.make("files").pipe(
  Command.withDescription("Manage the files of your account, which its code reads and writes as $.files"),
  Command.withSubcommands([list, get, put, remove, url]),
  Command.provide(ApiAccess.layer)
)
