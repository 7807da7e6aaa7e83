import { PgClient } from "@effect/sql-pg"
import { AccountSlots } from "@headwater/domain/AccountSlots"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { Context, Effect, Latch, Layer, Option, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import * as Net from "node:net"

/**
 * The time that a connection is idle before the peer is asked to answer, in milliseconds; ten questions, one a second.
 */
const keepAliveMs = 10_000

/** The interval at which sockets are checked for having received anything, in milliseconds. */
const lookEveryMs = 5_000

/** A suspect socket that received nothing for so long is lost, in looks. */
const silentAfter = 2

/**
 * A statement that was sent and got no answer for so long has none to come, in looks: longer than Postgres lets a
 * statement run (`statement_timeout`).
 */
const unansweredAfter = 15

/**
 * The largest message that is taken from the database, in bytes: as large as Postgres makes one (`MaxAllocSize`). With
 * less, a row could be stored that no statement reads again. Each table has to bound the size of its rows.
 */
const largestMessage = 0x3fff_ffff

type Address = Net.TcpNetConnectOpts | Net.IpcNetConnectOpts

/** A socket to the database, and when it last received something. */
class WatchedSocket {
  readonly socket: Net.Socket
  private received = 0
  /** The bytes that had been sent when something was last received. */
  private sent = 0
  private looks = 0
  private isSuspect = false

  constructor(socket: Net.Socket) {
    this.socket = socket
    // Not told of under TLS: there `look` notes it, late, so that what was sent shortly before counts as answered.
    this.socket.on("data", () => {
      this.sent = this.socket.bytesWritten
    })
  }

  look(): void {
    const { bytesRead, bytesWritten } = this.socket
    if (bytesRead === this.received) {
      this.looks += 1
      return
    }
    this.received = bytesRead
    if (this.socket.listenerCount("data") === 1) this.sent = bytesWritten
    this.looks = 0
    this.isSuspect = false
  }

  suspect(): void {
    this.isSuspect = true
  }

  /** True once nothing is to be expected from the other side any more. */
  get isLost(): boolean {
    if (this.isSuspect) return this.looks >= silentAfter
    return this.looks >= unansweredAfter && this.socket.bytesWritten > this.sent
  }
}

/** The address of the database by a client's configuration, as the client reads it (libpq's connection URIs). */
const addressOf = ({ host, path, port, url }: PgClient.PgClientConfig): Address => {
  if (path !== undefined) return { path }
  const parsed = url === undefined ? undefined : new URL(Redacted.value(url))
  const named = parsed?.searchParams.get("host") ??
    decodeURIComponent((parsed?.hostname ?? "").replace(/^\[(.*)\]$/, "$1"))
  const to = host ?? (named === "" ? "localhost" : named)
  const at = port ?? Number(parsed?.searchParams.get("port") ?? (parsed?.port || 5432))
  return to.startsWith("/")
    ? { path: `${to}/.s.PGSQL.${at}` }
    // A statement is one write and then a wait for its answer: there is nothing to hold it back for.
    : { host: to, port: at, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs }
}

/**
 * The sockets of a client's connections. A peer that vanishes without a word, as a machine does that loses its power or
 * its network, leaves who waits for its answer waiting for a quarter of an hour: TCP does not ask after it while
 * something that was sent is not acknowledged.
 */
export class DatabaseSockets extends Context.Service<DatabaseSockets, {
  /**
   * Says that the database did not answer in time. Each present socket is destroyed, whoever uses it, once it has
   * received nothing for 10 seconds: at once, or later unless it receives something before.
   */
  readonly suspect: Effect.Effect<void>
}>()("@headwater/log/DatabaseSockets") {}

/** The shares of the connections that all accounts together can have, and that one of them can. */
const accountsShare = 2 / 3
const accountShare = 1 / 3

const defaultConnections = 10

/**
 * The same client, at whose connections accounts take turns: a statement on behalf of an account, or a transaction,
 * waits for one of the account's slots. A statement on behalf of none, as a batch of all accounts' commits, finds a
 * connection.
 */
const inTurns = (client: PgClient.PgClient, config: PgClient.PgPoolConfig): PgClient.PgClient => {
  const { database, host = "localhost", maxConnections = defaultConnections, port = 5432, username } = config
  const { transactionService } = client
  // The effect that gives a connection back copies all services of the fiber that took it, for each statement. It needs none.
  const reserve = Effect.flatMap(
    Effect.scope,
    (scope) => Effect.setContext(client.reserve, Context.make(Scope.Scope, scope))
  )
  const slots = new AccountSlots(
    Math.max(1, Math.floor(maxConnections * accountsShare)),
    Math.max(1, Math.ceil(maxConnections * accountShare))
  )
  const inSlot = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(OnBehalfOf, (accountId) => accountId === "" ? work : slots.hold(accountId, work))
  const inTransactionOr = <A, E, R>(
    use: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>,
    orElse: Effect.Effect<A, E, R>
  ) =>
    Effect.flatMap(
      Effect.serviceOption(transactionService),
      Option.match({ onNone: () => orElse, onSome: ([connection]) => use(connection) })
    )
  const statements = Statement.make(
    inTransactionOr<SqlConnection.Connection, SqlError.SqlError, Scope.Scope>(Effect.succeed, reserve),
    PgClient.makeCompiler(),
    [
      ["db.system.name", "postgresql"],
      ["db.namespace", database ?? username ?? "postgres"],
      ["server.address", host],
      ["server.port", port]
    ],
    undefined,
    (use) => inTransactionOr(use, inSlot(Effect.scoped(Effect.flatMap(reserve, use))))
  )
  const turned: PgClient.PgClient = Object.assign(statements, {
    ...client,
    ...statements,
    withTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) => {
      const transaction = client.withTransaction(work)
      return inTransactionOr(() => transaction, inSlot(transaction))
    },
    withoutTransforms: () => turned
  })
  return turned
}

/**
 * A client whose connections end when the database has vanished, and what ends them sooner.
 *
 * @param onOpen told of each socket, before anything is said on it
 */
export const make = Effect.fnUntraced(function*(
  config: PgClient.PgPoolConfig,
  onOpen: (socket: Net.Socket) => void = () => {}
) {
  const sockets = new Set<WatchedSocket>()
  /** Open while there are any. */
  const watching = yield* Latch.make(false)

  const open = () => {
    const address = addressOf(config)
    const socket = Net.connect(address)
    onOpen(socket)
    // The other side of a unix socket is on this machine, and does not vanish without a word.
    if ("path" in address) return socket
    const watched = new WatchedSocket(socket)
    sockets.add(watched)
    watching.openUnsafe()
    socket.once("close", () => {
      sockets.delete(watched)
      if (sockets.size === 0) watching.closeUnsafe()
    })
    return socket
  }

  const dropLost = Effect.suspend(() => {
    const lost = [...sockets].filter(({ isLost }) => isLost)
    for (const { socket } of lost) socket.destroy()
    return lost.length === 0 ?
      Effect.void :
      Effect.logWarning(`The database does not answer; ${lost.length} silent connections are closed`)
  })

  yield* watching.await.pipe(
    Effect.andThen(Effect.sleep(lookEveryMs)),
    Effect.andThen(Effect.suspend(() => {
      for (const socket of sockets) socket.look()
      return dropLost
    })),
    Effect.forever,
    Effect.forkScoped
  )
  const client = inTurns(yield* PgClient.make({ maxMessageSize: largestMessage, ...config, stream: open }), config)
  return Context.make(PgClient.PgClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(DatabaseSockets, {
      suspect: Effect.suspend(() => {
        for (const socket of sockets) socket.suspect()
        return dropLost
      })
    })
  )
})

export type DatabaseClient = PgClient.PgClient | SqlClient.SqlClient | DatabaseSockets

export const layer = (
  config: PgClient.PgPoolConfig,
  onOpen?: (socket: Net.Socket) => void
): Layer.Layer<DatabaseClient, SqlError.SqlError> =>
  Layer.effectContext(make(config, onOpen)).pipe(Layer.provide(Reactivity.layer))
