import { type ConsumerPosition, type ConsumerResource, ConsumersApi } from "@headwater/api/ConsumersApi"
import { maxLimit } from "@headwater/api/Pagination"
import * as StreamName from "@headwater/domain/Stream"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CountFlag from "../given/CountFlag.ts"
import { placeOf, places } from "../given/TimeFlag.ts"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const consumer = ResourceCommand.argumentOf(Kind.consumer)

const idOf = (consumer: string) => Naming.idOf(Kind.consumer, consumer)

const consumers: Resource = {
  kind: Kind.consumer,
  api: ConsumersApi,
  columns: [
    Columns.id,
    Columns.name,
    Columns.named("EMITTER", "emitter_id"),
    Columns.stream,
    {
      head: "LEASE UNTIL (UTC)",
      of: ({ lease }) => lease === null ? "" : Output.timeOfMs((lease as { expires_at_ms: number }).expires_at_ms)
    }
  ],
  namedFields: ["emitter_id"],
  first: "headwater consumers create EMITTER",
  creation: ["emitter_id"],
  next: ({ id, name }) => `Read from it: headwater consumers read ${String(name ?? id)}`
}

const leaseOf = ({ lease }: ConsumerResource): string =>
  lease === null ? "none" : `until ${Output.timeOfMs(lease.expires_at_ms)} UTC`

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
    ["Stream", StreamName.spelled(consumer.event_name)],
    ["Filter", consumer.filter === undefined ? "none" : JSON.stringify(consumer.filter)],
    ["Lease", leaseOf(consumer)]
  ]))

/** Emitters that `show` tells of. */
const mostShown = 1_000

const get = Command.make("get", { consumer, json: Output.json }, ({ consumer: named, json }) =>
  Effect.gen(function*() {
    const { call } = yield* ApiAccess
    const id = yield* idOf(named)
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
    Command.withDescription(`Show where a consumer stands on its first ${mostShown} emitters, and what waits there`),
    Command.withAlias("show")
  )

const read = Command.make(
  "read",
  {
    consumer,
    max: CountFlag.make("max", "At most so many events. Default: 100").pipe(Flag.withDefault(100)),
    wait: Flag.Int("wait").pipe(
      Flag.withMetavar("seconds"),
      Flag.withDescription("How long to wait for the first event, at most 60. Default: 0"),
      Flag.withDefault(0)
    ),
    keep: Flag.Boolean("keep").pipe(
      Flag.withDescription("Do not commit: the same events come again"),
      Flag.withDefault(false)
    ),
    // It prints nothing else, and takes the flag as all commands do.
    json: Output.jsonLines
  },
  ({ consumer, keep, max, wait }) =>
    Effect.gen(function*() {
      const { call } = yield* ApiAccess
      const id = yield* idOf(consumer)
      const { data, lease, positions } = yield* call(({ consumers }) =>
        consumers.events({ params: { id }, query: { max, wait } })
      )
      for (const event of data) yield* Console.log(JSON.stringify(event))
      if (lease === null) return
      const payload = { lease: lease.id, release: true, ...(keep ? {} : { positions }) }
      yield* call(({ consumers }) => consumers.commit({ headers: {}, params: { id }, payload }))
    }).pipe(FlagWords.inFlags({ max: "--max", wait: "--wait" }))
).pipe(
  Command.withDescription("Print what comes next, one JSON value a line, and commit it once it is printed"),
  Command.withExamples([{
    command: "headwater consumers read warehouse --wait 60 >> orders.jsonl",
    description: "Append up to 100 events to a file"
  }])
)

const seek = Command.make(
  "seek",
  {
    consumer,
    to: Argument.String("to").pipe(Argument.withDescription(`Where to: ${places}`)),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("In the log of this source or workflow alone, by name, slug or id"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ consumer, emitter, json, to }) {
    const { call } = yield* ApiAccess
    const id = yield* idOf(consumer)
    const payload = {
      to: yield* placeOf("<to>", to),
      ...(yield* Naming.fieldOf("emitter_id", Kind.emitters, emitter))
    }
    const { data } = yield* call(({ consumers }) => consumers.seek({ headers: {}, params: { id }, payload }))
    yield* Output.print(json, data, textOf(data))
  }, FlagWords.inFlags({ to: "<to>", emitter_id: "--emitter" }))
).pipe(Command.withDescription("Move a consumer; who reads from it starts anew there"))

/** Places in logs from which clients read. */
export const consumersCommand = ResourceCommand.make("consumers", consumers, [get, read, seek])
