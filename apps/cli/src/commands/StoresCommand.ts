import { DataStoresApi } from "@headwater/api/DataStoresApi"
import type { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import * as ListItems from "@headwater/api/ListItems"
import * as ExactJson from "@headwater/domain/ExactJson"
import { Console, Effect, FileSystem, Option, Stdio, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Confirmation from "../given/Confirmation.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as StoreEntries from "../given/StoreEntries.ts"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"

type DataStores = HeadwaterClient["Service"]["dataStores"]

const store = Argument.String("store").pipe(Argument.withDescription(Kind.called(Kind.dataStore)))

const key = Argument.String("key").pipe(Argument.withDescription("The entry's key"))

const stores: Resource = {
  kind: Kind.dataStore,
  api: DataStoresApi,
  columns: [Columns.name, Columns.id, Columns.created],
  first: "headwater stores create NAME",
  creation: ["name"],
  next: ({ name }) => `Give it to a data_store prop: --prop <prop>=${String(name)}`,
  deletion: "with its entries"
}

/** The entries of an answer, with their numbers as the server sent them. */
const exactOf = (text: string) => ExactJson.parse(text) as { readonly data: ReadonlyArray<StoreEntries.Entry> }

/** Entries in the order of their keys. */
const entriesOf = (dataStores: DataStores, id: string, prefix: Option.Option<string>) =>
  ListItems.items((place) =>
    Effect.gen(function*() {
      const [{ page_info }, response] = yield* dataStores.entries({
        params: { id },
        query: { limit: 100, ...(Option.isSome(prefix) ? { prefix: prefix.value } : {}), ...place },
        responseMode: "decoded-and-response"
      })
      return { page_info, data: exactOf(yield* response.text).data }
    })
  )

const rowOf = ({ expires_at_ms = null, key, value }: StoreEntries.Entry) => [
  key,
  shortened(JSON.stringify(value)),
  expires_at_ms === null ? "" : `${Output.timeOfMs(expires_at_ms)} UTC`
]

const mostShown = 80

const shortened = (text: string) => text.length > mostShown ? `${text.slice(0, mostShown)}…` : text

const entries = Command.make(
  "entries",
  {
    store,
    prefix: Flag.String("prefix").pipe(Flag.withDescription("Only keys that begin so"), Flag.optional),
    limit: CountFlag.limit(100),
    json: Output.jsonLines
  },
  Effect.fnUntraced(function*({ json, limit, prefix, store }) {
    const { call } = yield* ApiAccess
    const found = yield* call(({ dataStores }) =>
      entriesOf(dataStores, store, prefix).pipe(Stream.take(limit), Stream.runCollect)
    )
    if (json) return yield* Effect.forEach(found, (entry) => Console.log(JSON.stringify(entry)), { discard: true })
    yield* Console.log(
      found.length === 0
        ? Option.isSome(prefix)
          ? "No entry matches."
          : `There is no entry yet. Set the first with: headwater stores set ${store} KEY VALUE`
        : Output.table([["KEY", "VALUE", "EXPIRES"], ...found.map(rowOf)])
    )
  })
).pipe(Command.withDescription("List the entries of a data store in the order of their keys"))

const get = Command.make(
  "get",
  { store, key, json: Output.json },
  Effect.fnUntraced(function*({ json, key, store }) {
    const { call } = yield* ApiAccess
    const [, response] = yield* call(({ dataStores }) =>
      dataStores.entry({ params: { id: store }, query: { key }, responseMode: "decoded-and-response" })
    )
    const { data } = ExactJson.parse(yield* response.text) as { readonly data: StoreEntries.Entry }
    yield* Console.log(JSON.stringify(json ? data : data.value))
  })
).pipe(Command.withDescription("Print the value of a key as JSON, or with --json the whole entry"))

const set = Command.make(
  "set",
  {
    store,
    key,
    value: Argument.String("value").pipe(
      Argument.withDescription("JSON; else the text itself. Default: read it from standard input"),
      Argument.optional
    ),
    ttl: CountFlag.make("ttl", "Seconds after which it is removed. Default: it stays").pipe(Flag.optional),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, key, store, ttl, value }) {
    const { call } = yield* ApiAccess
    const text = Option.isSome(value) ? value.value : (yield* standardInput).replace(/\r?\n$/, "")
    const payload = { key, value: Option.getOrElse(StoreEntries.jsonIn(text), () => text), ttl: Option.getOrNull(ttl) }
    const { data } = yield* call(({ dataStores }) => dataStores.setEntry({ params: { id: store }, payload }))
    yield* Output.print(json, data, `Set ${key}.`)
  }, FlagWords.inFlags({ key: "<key>", value: "<value>", ttl: "--ttl" }))
).pipe(
  Command.withDescription("Set the value of a key"),
  Command.withExamples([
    { command: "headwater stores set customers ann '{\"visits\": 3}'", description: "Sets an object" },
    { command: "headwater stores set customers ann --ttl 3600 < ann.json", description: "Reads the value" }
  ])
)

const standardInput = Effect.flatMap(
  Stdio.Stdio,
  ({ stdin }) => stdin.pipe(Stream.decodeText, Stream.mkString)
)

const unset = Command.make(
  "unset",
  { store, key, json: Output.json },
  Effect.fnUntraced(function*({ json, key, store }) {
    const { call } = yield* ApiAccess
    yield* call(({ dataStores }) => dataStores.removeEntry({ params: { id: store }, query: { key } }))
    yield* Output.print(json, { key, deleted: true }, `Removed ${key}.`)
  }, FlagWords.inFlags({ key: "<key>" }))
).pipe(Command.withDescription("Remove a key and its value"))

const clear = Command.make(
  "clear",
  { store, yes: Confirmation.flag, json: Output.json },
  Effect.fnUntraced(function*({ json, store, yes }) {
    const { call } = yield* ApiAccess
    yield* Confirmation.ask(`Remove all entries of ${store}?`, yes)
    yield* call(({ dataStores }) => dataStores.clear({ params: { id: store }, query: {} }))
    yield* Output.print(json, { store, cleared: true }, `Removed all entries of ${store}.`)
  })
).pipe(Command.withDescription("Remove all entries of a data store"))

const exportEntries = Command.make(
  "export",
  // It prints nothing else, and takes the flag as all commands do.
  { store, json: Output.jsonLines },
  Effect.fnUntraced(function*({ store }) {
    const { call } = yield* ApiAccess
    yield* call(({ dataStores }) =>
      entriesOf(dataStores, store, Option.none()).pipe(
        Stream.runForEach((entry) => Console.log(JSON.stringify(entry)))
      )
    )
  })
).pipe(Command.withDescription("Print all entries, a JSON object a line, as import takes them"))

const importEntries = Command.make(
  "import",
  {
    store,
    file: Argument.String("file").pipe(
      Argument.withDescription("What export printed, or one JSON object of keys with values; - for standard input")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ file, json, store }) {
    const files = yield* FileSystem.FileSystem
    const text = yield* file === "-"
      ? standardInput
      : Effect.mapError(files.readFileString(file), ({ message }) => new CommandRefused({ message }))
    const count = yield* StoreEntries.set(store, yield* StoreEntries.read(text))
    yield* Output.print(json, { store, count }, `Set ${count} ${count === 1 ? "entry" : "entries"} of ${store}.`)
  })
).pipe(Command.withDescription("Set entries from a file; others stay"))

/** The stores that sources and workflows share, and their entries. */
export const storesCommand = ResourceCommand.make("stores", stores, [
  entries,
  get,
  set,
  unset,
  clear,
  exportEntries,
  importEntries
])
