import { type ConsumerPosition, type ConsumerResource, type Place } from "@headwater/api/ConsumersApi"
import { maxLimit } from "@headwater/api/Pagination"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import { timeOf } from "../given/TimeFlag.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const id = Argument.String("id").pipe(Argument.withDescription("Begins with cns_"))

const places = "beginning, end, an event id, a time in ISO 8601, or so long ago, such as 30m, 12h or 7d"

/** True if a text is a place by itself, and not a time. */
const isPlace = (text: string): boolean => text === "beginning" || text === "end" || /^\d{1,13}-\d{1,7}$/.test(text)

const placeOf = (flag: string, text: string): Effect.Effect<Place, CommandRefused> =>
  isPlace(text) ? Effect.succeed(text) : timeOf(flag, text)

const FilterText = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))

const filterOf = (text: string) =>
  Effect.mapError(
    Schema.decodeEffect(FilterText)(text),
    () => new CommandRefused({ message: `--filter is not a JSON object: ${JSON.stringify(text)}` })
  )

const time = (ms: number): string => new Date(ms).toISOString().replace("T", " ").slice(0, 19)

const streamOf = (name: string): string => name === "" ? "default" : name

const leaseOf = ({ lease }: ConsumerResource): string =>
  lease === null ? "none" : `until ${time(lease.expires_at_ms)} UTC`

const positionsTable = (positions: ReadonlyArray<ConsumerPosition>): string =>
  Output.table([
    ["EMITTER", "POSITION", "WAITING", "DELIVERED", "FILTERED", "DROPPED"],
    ...positions.map((one) => [
      one.emitter_id,
      one.position,
      ...[one.waiting, one.delivered, one.filtered, one.dropped].map(String)
    ])
  ])

const textOf = (consumer: ConsumerResource): string =>
  harmless(Output.table([
    ["Consumer", consumer.id],
    ["Name", consumer.name ?? ""],
    ["Emitter", consumer.emitter_id],
    ["Stream", streamOf(consumer.event_name)],
    ["Filter", consumer.filter === undefined ? "none" : JSON.stringify(consumer.filter)],
    ["Lease", leaseOf(consumer)]
  ]))

const create = Command.make(
  "create",
  {
    emitter: Argument.String("emitter").pipe(
      Argument.withDescription("A source or workflow by id or name slug, or a glob such as dc_*")
    ),
    stream: Flag.String("stream").pipe(Flag.withDescription("Read this stream, not the default one"), Flag.optional),
    filter: Flag.String("filter").pipe(Flag.withDescription("JSON: what events have to pass"), Flag.optional),
    name: Flag.String("name").pipe(Flag.withDescription("For people"), Flag.optional),
    start: Flag.String("start").pipe(Flag.withDescription(`Where it starts: ${places}`), Flag.withDefault("end")),
    lease: Flag.Int("lease").pipe(
      Flag.withDescription("How many seconds a reader may be silent before another one takes over"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, filter, json, lease, name, start, stream }) {
    const { call } = yield* ApiAccess
    const payload = {
      emitter_id: emitter,
      start: yield* placeOf("start", start),
      ...(Option.isNone(stream) ? {} : { event_name: stream.value }),
      ...(Option.isNone(filter) ? {} : { filter: yield* filterOf(filter.value) }),
      ...(Option.isNone(name) ? {} : { name: name.value }),
      ...(Option.isNone(lease) ? {} : { lease_seconds: lease.value })
    }
    const { data } = yield* call(({ consumers }) => consumers.create({ headers: {}, payload }))
    yield* Output.print(json, data, textOf(data))
  })
).pipe(
  Command.withDescription("Create a place in the logs of emitters from which to read"),
  Command.withExamples([{
    command: "headwater consumers create orders --start 1h",
    description: "Read what the source `orders` has emitted for an hour, and what comes"
  }])
)

const list = Command.make("list", { json: Output.json }, ({ json }) =>
  Effect.gen(function*() {
    const { call } = yield* ApiAccess
    const found = yield* call(({ consumers }) =>
      Effect.gen(function*() {
        const found: Array<ConsumerResource> = []
        for (let cursor = {};;) {
          const { data, page_info } = yield* consumers.list({ query: { limit: maxLimit, ...cursor } })
          found.push(...data)
          if (!page_info.has_more) return found
          cursor = { after: Buffer.from(page_info.end_cursor, "base64url").toString() }
        }
      })
    )
    const rows = found.map((one) => [
      one.id,
      one.name ?? "",
      one.emitter_id,
      streamOf(one.event_name),
      one.lease === null ? "" : time(one.lease.expires_at_ms)
    ])
    yield* Output.print(
      json,
      found,
      harmless(Output.table([["ID", "NAME", "EMITTER", "STREAM", "LEASE UNTIL (UTC)"], ...rows]))
    )
  })).pipe(Command.withDescription("List consumers, the newest first"))

/** Emitters that `show` tells of. */
const mostShown = 1_000

const show = Command.make("show", { id, json: Output.json }, ({ id, json }) =>
  Effect.gen(function*() {
    const { call } = yield* ApiAccess
    const { consumer, isAll, positions } = yield* call(({ consumers }) =>
      Effect.gen(function*() {
        const { data: consumer } = yield* consumers.get({ params: { id }, query: {} })
        const positions: Array<ConsumerPosition> = []
        for (let cursor = {}; positions.length < mostShown;) {
          const { data, page_info } = yield* consumers.positions({
            params: { id },
            query: { limit: maxLimit, ...cursor }
          })
          positions.push(...data)
          if (!page_info.has_more) return { consumer, positions, isAll: true }
          cursor = { after: Buffer.from(page_info.end_cursor, "base64url").toString() }
        }
        return { consumer, positions, isAll: false }
      })
    )
    const text = [textOf(consumer), "", positionsTable(positions), ...(isAll ? [] : ["…"])].join("\n")
    yield* Output.print(json, { ...consumer, positions }, text)
  })).pipe(
    Command.withDescription(`Show where a consumer stands on its first ${mostShown} emitters, and what waits there`)
  )

const read = Command.make(
  "read",
  {
    id,
    max: Flag.Int("max").pipe(Flag.withDescription("At most so many events"), Flag.withDefault(100)),
    wait: Flag.Int("wait").pipe(
      Flag.withDescription("How many seconds to wait for the first event"),
      Flag.withDefault(0)
    ),
    keep: Flag.Boolean("keep").pipe(
      Flag.withDescription("Do not commit: the same events come again"),
      Flag.withDefault(false)
    )
  },
  ({ id, keep, max, wait }) =>
    Effect.gen(function*() {
      const { call } = yield* ApiAccess
      const { data, lease, positions } = yield* call(({ consumers }) =>
        consumers.events({ params: { id }, query: { max, wait } })
      )
      for (const event of data) yield* Console.log(JSON.stringify(event))
      if (lease === null) return
      const payload = { lease: lease.id, release: true, ...(keep ? {} : { positions }) }
      yield* call(({ consumers }) => consumers.commit({ headers: {}, params: { id }, payload }))
    })
).pipe(
  Command.withDescription("Print what comes next, one JSON value a line, and commit it once it is printed"),
  Command.withExamples([{
    command: "headwater consumers read cns_… --wait 60 >> orders.jsonl",
    description: "Append up to 100 events to a file"
  }])
)

const seek = Command.make(
  "seek",
  {
    id,
    to: Argument.String("to").pipe(Argument.withDescription(`Where to: ${places}`)),
    emitter: Flag.String("emitter").pipe(Flag.withDescription("In this emitter's log alone"), Flag.optional),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, id, json, to }) {
    const { call } = yield* ApiAccess
    const payload = {
      to: yield* placeOf("to", to),
      ...(Option.isNone(emitter) ? {} : { emitter_id: emitter.value })
    }
    const { data } = yield* call(({ consumers }) => consumers.seek({ headers: {}, params: { id }, payload }))
    yield* Output.print(json, data, textOf(data))
  })
).pipe(Command.withDescription("Move a consumer; who reads from it starts anew there"))

const remove = Command.make("delete", { id, json: Output.json }, ({ id, json }) =>
  Effect.gen(function*() {
    const { call } = yield* ApiAccess
    yield* call(({ consumers }) => consumers.delete({ params: { id }, query: {} }))
    yield* Output.print(json, { id }, `Deleted ${id}.`)
  })).pipe(Command.withDescription("Delete a consumer"))

/** Places in logs from which clients read. */
export const consumersCommand = Command.make("consumers").pipe(
  Command.withDescription("Read events from the log and commit them, instead of taking webhooks"),
  Command.withSubcommands([create, list, show, read, seek, remove]),
  Command.provide(ApiAccess.layer)
)
