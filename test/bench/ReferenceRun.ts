import * as TestCertificate from "@headwater/fixtures/TestCertificate"
import { Effect, Predicate, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "./BenchFailed.ts"
import * as Database from "./Database.ts"
import { inserts } from "./InsertsCall.ts"
import type { Loaded } from "./LoadCall.ts"
import * as Program from "./Program.ts"
import * as Receipts from "./Receipts.ts"
import * as ReferenceTables from "./ReferenceTables.ts"
import type { Table } from "./Report.ts"
import { bytes, type Subject, type Workbench } from "./Workbench.ts"

/** The reference beside a server, on the same Postgres. */
export interface ReferenceRun {
  readonly deliver: (store: "durable" | "memory", fanOut: number) => Subject
  readonly ack: (store: "durable" | "memory") => Subject
  /** Rows a second that multi-row inserts alone reach. */
  readonly insertsAlone: (seconds: number) => Effect.Effect<number, BenchFailed>
}

/** The share of inserts alone that the reference must reach: with less, it was held up by something else. */
export const leastShare = 0.3

/** Why a run with these medians says nothing. */
export const voids = (reference: number, insertsAlone: number): ReadonlyArray<string> =>
  reference >= leastShare * insertsAlone
    ? []
    : [`the reference reached ${(reference / insertsAlone).toFixed(2)} of inserts alone, less than ${leastShare}`]

export const insertsTable = (rowsPerSecond: number): Table => ({
  columns: ["", "rows/s"],
  rows: [["multi-row inserts alone", rowsPerSecond]]
})

/** Rows of one of the statements that the reference is held against. It has one connection too, and commits like them. */
const rowsAtOnce = 100

/** A failing statement of the benchmark's own is a fault of it. */
const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `the reference's database: ${String(error.cause)}` }))

export const make = Effect.fnUntraced(function*(
  workbench: Workbench
): Effect.fn.Return<ReferenceRun, BenchFailed, Scope.Scope> {
  const { server, sink, sinkUrl } = workbench
  const own = yield* orFailed(Database.client(yield* server.database("postgres")))
  yield* orFailed(own`CREATE DATABASE reference`)
  const database = yield* server.database("reference")
  const sql = yield* orFailed(Database.client(database))
  yield* orFailed(ReferenceTables.create(sql))
  const inserter = yield* Program.start("Inserts.ts")
  const program = yield* Program.start("Reference.ts")
  workbench.watch("reference", program.pid)
  const { authority } = TestCertificate
  const { url } = yield* program.ask(ReferenceTables.reference, { database, sink: sinkUrl, authority })

  /** Deliveries that are still to be noted as done, after some time for it. */
  const owed = orFailed(sql<{ count: bigint }>`SELECT count(*) AS count FROM outbox`).pipe(
    Effect.map(([row]) => Number(row?.count)),
    Effect.filterOrFail((count) => count === 0, (count) => count),
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 100, while: Predicate.isNumber }),
    Effect.catchIf(Predicate.isNumber, (count) => Effect.succeed(count))
  )

  let readTo = 0n
  /** Numbers of the events that were stored since this was last read. */
  const stored = Effect.suspend(() =>
    orFailed(sql<{ id: bigint; start: string }>`
    SELECT id, left(payload, 30) AS start FROM events WHERE id > ${readTo} ORDER BY id`)
  ).pipe(
    Effect.map((rows) => {
      readTo = rows.at(-1)?.id ?? readTo
      return new Set(rows.map(({ start }) => Number(/^\{"seq":(\d+)/.exec(start)?.[1])))
    })
  )

  return {
    deliver: (store, fanOut) => {
      const targets = Array.from({ length: fanOut }, (_, index) => String(index + 1))
      return {
        urls: [`${url}/deliver/${store}/${fanOut}`],
        settle: Effect.fnUntraced(function*(loaded: Loaded) {
          const settled = yield* Receipts.settle(sink, targets, () => targets, loaded)
          return { ...settled, lost: settled.lost + (yield* owed) }
        })
      }
    },
    ack: (store) => ({
      urls: [`${url}/ack/${store}/0`],
      settle: Effect.fnUntraced(function*(loaded: Loaded, from: number) {
        const kept = store === "durable" ? yield* stored : undefined
        const lost = loaded.ackedAt.reduce(
          (sum, at, index) => sum + (at !== 0 && kept?.has(from + index) === false ? 1 : 0),
          0
        )
        return { lost, duplicates: 0, receipts: [], fromPost: [] }
      })
    }),
    insertsAlone: (seconds) =>
      Effect.map(
        inserter.ask(inserts, { database, bytes, seconds, rowsAtOnce }),
        ({ rowsPerSecond }) => rowsPerSecond
      )
  }
})
