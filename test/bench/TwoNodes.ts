import * as FreePort from "@headwater/fixtures/FreePort"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as Path from "node:path"
import * as DatabaseCacheSize from "../../apps/server/src/DatabaseCacheSize.ts"
import { BenchFailed } from "./BenchFailed.ts"
import * as BenchServer from "./BenchServer.ts"

const failed = ({ message }: { readonly message: string }) =>
  new BenchFailed({ message: `the database of two nodes did not start: ${message}` })

/** Two servers that are nodes of one, on a Postgres of the bench's like the server's own. */
export const start: Effect.Effect<
  readonly [BenchServer.BenchServer, BenchServer.BenchServer],
  BenchFailed,
  Scope.Scope
> = Effect.gen(function*() {
  const directory = yield* TemporaryDirectory.make("bench-nodes")
  const settings = { shared_buffers: `${DatabaseCacheSize.here()}MB` }
  const services = yield* Layer.build(
    EmbeddedPostgres.layer({ settings }).pipe(Layer.provideMerge(DataDirectory.layer(directory)))
  ).pipe(Effect.mapError(failed))
  const { connection, pid } = Context.get(services, EmbeddedPostgres)
  const secret = yield* Effect.mapError(Context.get(services, DataDirectory).secret("secret-key"), failed)
  const url = new URL(`postgres://${connection.username}@localhost/${connection.database}`)
  url.password = Redacted.value(connection.password)
  url.searchParams.set("host", Path.dirname(connection.path))
  const postmaster = yield* pid

  const node = Effect.gen(function*() {
    return yield* BenchServer.start({
      postmaster,
      environment: {
        DATABASE_URL: url.href,
        HEADWATER_SECRET_KEY: Redacted.value(secret),
        HEADWATER_NODE: `127.0.0.1:${yield* FreePort.find}`,
        // As it is by default where the database is the server's own.
        HEADWATER_EGRESS_ALLOW: "loopback"
      }
    })
  })
  return [yield* node, yield* node]
})
