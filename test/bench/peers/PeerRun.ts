import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "../BenchFailed.ts"
import * as Database from "../Database.ts"
import * as Program from "../Program.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import type { Subject, Workbench } from "../Workbench.ts"
import { peer } from "./PeerCall.ts"
import * as PeerPackages from "./PeerPackages.ts"
import * as RedisServer from "./RedisServer.ts"

/** A job queue that does the same as a source with one webhook, without code. */
export interface PeerRun {
  readonly name: string
  readonly version: string
  readonly durability: string
  readonly settings: string
  readonly subject: Subject
}

const onPostgres = [
  { name: "pg-boss", program: "peers/PgBoss.ts" },
  { name: "graphile-worker", program: "peers/GraphileWorker.ts" }
] as const
const onRedis = { name: "bullmq", program: "peers/BullMq.ts" } as const

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `a peer's database: ${String(error.cause)}` }))

/** Those that this machine can run: each in a process, and those on the server's Postgres in a database, of its own. */
export const startAll = Effect.fnUntraced(function*(
  workbench: Workbench
): Effect.fn.Return<ReadonlyArray<PeerRun>, BenchFailed, Scope.Scope> {
  const { server, sink, sinkUrl } = workbench
  yield* Progress.say("installing the peers")
  const packages = yield* PeerPackages.install
  const redis = yield* RedisServer.start
  if (redis === undefined) yield* Progress.say("no redis-server on the PATH: without BullMQ")
  else workbench.watch("redis", redis.pid)
  const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
  return yield* Effect.forEach(
    [...onPostgres, ...redis === undefined ? [] : [onRedis]],
    ({ name, program: file }) =>
      Effect.gen(function*() {
        yield* orFailed(sql`CREATE DATABASE ${sql(name)}`)
        const database = yield* server.database(name)
        const program = yield* Program.start(file)
        workbench.watch(name, program.pid)
        const { durability, settings, url } = yield* program.ask(peer, {
          packages,
          database,
          target: `${sinkUrl}/at-once/${name}`,
          ...(redis === undefined ? {} : { redisPort: redis.port })
        })
        const subject: Subject = {
          urls: [url],
          settle: (loaded) => Receipts.settle(sink, [name], () => [name], loaded)
        }
        return { name, version: PeerPackages.versions[name], durability, settings, subject }
      })
  )
})
