import { Effect, Option, Stdio } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { spawn } from "node:child_process"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ApiGroup from "../resource/ApiGroup.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as Output from "../text/Output.ts"

/** Pages that show lists, by what people may call them. */
const pages: Readonly<Record<string, string>> = {
  overview: "overview",
  events: "events",
  graph: "graph",
  deliveries: "deliveries",
  webhooks: "webhooks",
  sources: "sources",
  workflows: "workflows",
  credentials: "accounts",
  env: "variables",
  stores: "data-stores",
  files: "files",
  registry: "registry",
  import: "moving-in",
  bulk: "bulk-actions"
}

/** Pages of one thing. */
const folders: ReadonlyArray<readonly [Kind.Kind, folder: string]> = [
  [Kind.source, "sources"],
  [Kind.workflow, "workflows"],
  [Kind.webhook, "webhooks"],
  [Kind.dataStore, "data-stores"]
]

const eventId = /^\d{1,13}-\d{1,7}$/

const pageOfEvent = Effect.fnUntraced(function*(id: string) {
  const { call } = yield* ApiAccess
  const { data: [event] } = yield* call(({ log }) => log.accountEvents({ query: { id, limit: 1 } }))
  if (event === undefined) return yield* new CommandRefused({ message: `There is no event ${JSON.stringify(id)}` })
  return `events/${event.metadata.emitter_id}/${id}`
})

const pageOf = Effect.fnUntraced(function*(thing: string) {
  if (Object.hasOwn(pages, thing)) return pages[thing]!
  if (eventId.test(thing)) return yield* pageOfEvent(thing)
  if (Kind.isIdOf(Kind.delivery, thing)) return `deliveries/${thing}`
  if (Kind.isIdOf(Kind.bulkAction, thing)) return `bulk-actions/${thing}`
  const { id, kind } = yield* Naming.find(folders.map(([kind]) => kind), thing, Object.keys(pages))
  // The page of a thing that is not there would say nothing of that.
  yield* ApiGroup.one(kind.group, "get", { params: { id }, query: {} })
  return `${folders.find(([known]) => known === kind)![1]}/${id}`
})

const openers: Readonly<Record<string, string>> = { darwin: "open", win32: "explorer.exe" }

/** Has the system show a page, where it can. */
const show = (url: string) =>
  Effect.sync(() => {
    const child = spawn(openers[process.platform] ?? "xdg-open", [url], { detached: true, stdio: "ignore" })
    child.once("error", () => {})
    child.unref()
  })

/** Opens the console at a thing. */
export const openCommand = Command.make(
  "open",
  {
    thing: Argument.String("thing").pipe(
      Argument.withDescription(
        "A source, workflow, webhook, data store, delivery or event, by name, slug or id, or a page, such as events or " +
          "deliveries. Default: the overview"
      ),
      Argument.optional
    ),
    print: Flag.Boolean("print").pipe(
      Flag.withDescription("Only print the address, as where the output is no terminal"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, print, thing }) {
    const { url } = yield* ApiAccess
    const stdio = yield* Stdio.Stdio
    const page = yield* pageOf(Option.getOrElse(thing, () => "overview"))
    const address = `${url}/console/${page}`
    yield* Output.print(json, { url: address }, address)
    if (!json && !print && (yield* stdio.stdoutIsTerminal)) yield* show(address)
  })
).pipe(
  Command.withExamples([
    { command: "headwater open orders", description: "The page of the source `orders`" },
    { command: "headwater open 1760000120000-0", description: "The way of an event" }
  ]),
  Command.provide(ApiAccess.layer)
)
