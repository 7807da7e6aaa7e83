import type { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import { Command, Flag } from "effect/cli"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "../BenchFailed.ts"
import type { BenchServer } from "../BenchServer.ts"
import * as CellTable from "../CellTable.ts"
import * as Database from "../Database.ts"
import * as Deployment from "../Deployment.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import type { Report, Table } from "../Report.ts"
import type * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import { rounded } from "../Statistics.ts"
import type { Piece, Subject, Workbench } from "../Workbench.ts"

const code = `
export default {
  name: "Bench held",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    this.db.set("seq", event.body.seq)
    this.$emit(event.body)
  }
}`

const sources = 50

/** What commits lock and write, and what that is folded into. */
const tables = [
  "fences",
  "batches",
  "heads_journal",
  "cursors_journal",
  "program_state_journal",
  "heads_folded",
  "cursors_folded",
  "usage_folded",
  "program_state_folded"
] as const

type DeadRows = ReadonlyMap<string, number>

/** A stretch of load, and the versions of rows that nobody needs when it ends. */
interface Stretch {
  readonly name: string
  readonly piece: Piece
  readonly dead: DeadRows
}

const target = "held"

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `the database: ${String(error.cause)}` }))

const deploy = Effect.fnUntraced(function*({ server, sink, sinkUrl }: Workbench) {
  const deployed = yield* Deployment.sources(server, code, sources)
  const webhook = yield* Deployment.webhook(server, `${sinkUrl}/at-once/${target}`)
  yield* Deployment.subscribeAll(server, deployed, [webhook])
  const subject: Subject = {
    urls: deployed.map(({ endpoint }) => endpoint),
    settle: (loaded) => Receipts.settle(sink, [target], () => [target], loaded)
  }
  return subject
})

/** As a dump does, until the scope closes. */
const holdTransaction = Effect.fnUntraced(function*(
  server: BenchServer
): Effect.fn.Return<void, BenchFailed, Scope.Scope> {
  const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
  yield* orFailed(sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
  yield* orFailed(sql`SELECT count(*) FROM heads`)
})

const deadRows = (sql: PgClient.PgClient) =>
  Effect.map(
    orFailed(sql<{ name: string; dead: bigint }>`
      SELECT relname AS name, n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = ANY (${[...tables]})`),
    (rows): DeadRows => new Map(rows.map(({ dead, name }) => [name, Number(dead)]))
  )

const scenario = (options: { readonly seconds: number; readonly minutes: number; readonly rate: number }) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { minutes, rate, seconds } = options
    const { server } = workbench
    const subject = yield* deploy(workbench)
    const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
    const count = Math.max(2, Math.round(minutes * 60 / seconds))

    const stretch = Effect.fnUntraced(function*(name: string) {
      const piece = yield* workbench.measure(subject, { connections: 64, rate, seconds })
      const measured: Stretch = { name, piece, dead: yield* deadRows(sql) }
      yield* Progress.say(
        `${name}: ${Progress.figure(piece.throughput)}/s, ack p50 ${Progress.figure(piece.ack.p50Ms)} ms, ` +
          `p99 ${Progress.figure(piece.ack.p99Ms)} ms, lost ${piece.lost}, ${
            measured.dead.get("heads_folded") ?? 0
          } dead rows in heads_folded`
      )
      return measured
    })

    const before = yield* stretch("before")
    const held = yield* Effect.scoped(Effect.gen(function*() {
      yield* holdTransaction(server)
      const first = yield* stretch("held, first")
      const middle = yield* Effect.forEach(
        Array.from({ length: count - 2 }),
        (_, index) => stretch(`held, ${index + 2} of ${count}`)
      )
      return { first, middle, last: yield* stretch("held, last") }
    }))
    // Autovacuum comes once a minute.
    const after = [yield* stretch("let go, first"), yield* stretch("let go, second")]
    return reportOf(before, held, after)
  })

interface Held {
  readonly first: Stretch
  readonly middle: ReadonlyArray<Stretch>
  readonly last: Stretch
}

const reportOf = (before: Stretch, { first, last, middle }: Held, after: ReadonlyArray<Stretch>): Report => {
  const shown = [before, first, last, ...after]
  const sum = (field: "lost" | "duplicates") =>
    [...shown, ...middle].reduce((total, { piece }) => total + piece[field], 0)
  const ratioOf = (field: "p50Ms" | "p99Ms") => last.piece.ack[field] / first.piece.ack[field]
  const measured = shown.map(({ name, piece }): Rounds.Measured => ({ name, pieces: [piece], warmUp: [] }))
  const dead: Table = {
    columns: ["dead rows at the end", ...tables],
    rows: shown.map(({ dead, name }) => [name, ...tables.map((table) => dead.get(table) ?? 0)] as const)
  }
  return {
    scenario: "held",
    throughput: last.piece.throughput,
    limit: first.piece.throughput,
    latency: last.piece.ack,
    lost: sum("lost"),
    duplicates: sum("duplicates"),
    voids: [],
    tables: [CellTable.table(measured), dead],
    figures: {
      p50_ratio: rounded(ratioOf("p50Ms")),
      p99_ratio: rounded(ratioOf("p99Ms")),
      cells: CellTable.json(measured),
      dead_rows: Object.fromEntries(shown.map(({ dead, name }) => [name, Object.fromEntries(dead)]))
    }
  }
}

/** Steady load beside a transaction that somebody holds open. */
export const command = Command.make("held", {
  ...Scenario.flags,
  seconds: Scenario.seconds(60),
  minutes: Flag.Finite("minutes").pipe(
    Flag.withDescription("How long the transaction is held open"),
    Flag.withDefault(30)
  ),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("Events a second"), Flag.withDefault(300))
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription(
    "Steady load while a transaction is held open in the database: the first minute, the last, and after it has ended"
  )
)
