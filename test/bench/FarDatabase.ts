import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as DatabaseCacheSize from "../../apps/server/src/DatabaseCacheSize.ts"
import { BenchFailed } from "./BenchFailed.ts"
import { farDatabase } from "./FarDatabaseCall.ts"
import * as Program from "./Program.ts"

/** A Postgres like the server's own, of the bench's, as far away as one on another machine. */
export interface FarDatabase {
  readonly port: number
  /** Process id of its postmaster. */
  readonly postmaster: number | undefined
  /** What the server is started with to use it. */
  readonly environment: Readonly<Record<string, string>>
}

const failed = ({ message }: { readonly message: string }) =>
  new BenchFailed({ message: `the database that is far away did not start: ${message}` })

/** @param roundTripMs what a round trip takes longer, at least */
export const start = Effect.fnUntraced(function*(
  dataDirectory: string,
  roundTripMs: number
): Effect.fn.Return<FarDatabase, BenchFailed, Scope.Scope> {
  const settings = { shared_buffers: `${DatabaseCacheSize.here()}MB` }
  const services = yield* Layer.build(
    EmbeddedPostgres.layer({ settings }).pipe(Layer.provideMerge(DataDirectory.layer(dataDirectory)))
  ).pipe(Effect.mapError(failed))
  const { connection, pid } = Context.get(services, EmbeddedPostgres)
  const secret = yield* Effect.mapError(Context.get(services, DataDirectory).secret("secret-key"), failed)
  const proxy = yield* Program.start("FarDatabaseProxy.ts")
  const { port } = yield* proxy.ask(farDatabase, { path: connection.path, roundTripMs })
  const password = encodeURIComponent(Redacted.value(connection.password))
  return {
    port,
    postmaster: yield* pid,
    environment: {
      DATABASE_URL: `postgres://${connection.username}:${password}@127.0.0.1:${port}/${connection.database}`,
      HEADWATER_SECRET_KEY: Redacted.value(secret),
      // As it is by default where the database is the server's own.
      HEADWATER_EGRESS_ALLOW: "loopback"
    }
  }
})
