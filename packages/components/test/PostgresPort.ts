import * as Loopback from "@headwater/fixtures/Loopback"
import { authority, certificate, privateKey } from "@headwater/fixtures/TestCertificate"
import { Effect, type Scope } from "effect"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { inject } from "vitest"

/** The test run's Postgres on a port of its own: components reach no Unix socket. */
export interface PostgresPort {
  /** @param database the name of one of its databases */
  readonly connectionString: (database: string) => string
  /** The certificate of the authority behind its TLS, in PEM. */
  readonly authority: string
  /** How many connections were encrypted. */
  readonly encrypted: () => number
}

/** What a client asks for TLS with, before anything else (PostgreSQL, "Message Formats": SSLRequest). */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

const join = (client: Net.Socket, path: string): void => {
  const server = Net.connect(path)
  client.pipe(server)
  server.pipe(client)
  client.on("error", () => server.destroy())
  server.on("error", () => client.destroy())
}

export const make: Effect.Effect<PostgresPort, never, Scope.Scope> = Effect.gen(function*() {
  const { password, path, username } = inject("testPostgres")
  let encrypted = 0
  const server = Net.createServer((client) => {
    client.on("error", () => {})
    client.once("data", (first) => {
      if (!tlsRequest.equals(first as Buffer)) {
        client.unshift(first)
        return join(client, path)
      }
      encrypted++
      client.write("S")
      const secure = new Tls.TLSSocket(client, { isServer: true, key: privateKey, cert: certificate })
      return join(secure, path)
    })
  })
  const port = yield* Loopback.listen(server)
  const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`
  return {
    connectionString: (database) => `postgres://${user}@127.0.0.1:${port}/${database}`,
    authority,
    encrypted: () => encrypted
  }
})
