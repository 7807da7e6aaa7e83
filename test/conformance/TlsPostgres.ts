import { PgClient } from "@effect/sql-pg"
import * as Loopback from "@headwater/fixtures/Loopback"
import * as TestCertificate from "@headwater/fixtures/TestCertificate"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, type Scope } from "effect"
import { connect, createServer } from "node:net"
import { TLSSocket } from "node:tls"
import { inject } from "vitest"

/** A database of the test's Postgres, by TCP and TLS, which that Postgres itself does not offer. */
export interface TlsPostgres {
  /** As the app's account has them. */
  readonly credentials: Record<string, unknown>
  readonly query: (sql: string) => Effect.Effect<void>
}

/** What a client begins with that wants TLS (PostgreSQL's frontend/backend protocol, `SSLRequest`), in bytes. */
const sslRequestLength = 8

export const make: Effect.Effect<TlsPostgres, never, Scope.Scope> = Effect.gen(function*() {
  const given = inject("testPostgres")
  const database = yield* Effect.orDie(Layer.build(TestDatabase.layer))
  const sql = yield* Effect.provide(PgClient.PgClient, database)
  const [row] = yield* Effect.orDie(sql<{ readonly name: string }>`SELECT current_database() AS name`)
  const server = createServer((socket) => {
    socket.on("error", () => {})
    const begin = () => {
      if (socket.read(sslRequestLength) === null) return void socket.once("readable", begin)
      socket.write("S")
      const { certificate: cert, privateKey: key } = TestCertificate
      const secure = new TLSSocket(socket, { isServer: true, cert, key })
      const behind = connect(given.path)
      secure.on("error", () => behind.destroy())
      behind.on("error", (error) => secure.destroy(error))
      secure.pipe(behind)
      behind.pipe(secure)
    }
    socket.once("readable", begin)
  })
  const port = yield* Loopback.listen(server)
  return {
    credentials: {
      host: "localhost",
      port,
      user: given.username,
      password: given.password,
      database: row?.name
    },
    query: (text) => Effect.orDie(Effect.asVoid(sql.unsafe(text)))
  }
})
