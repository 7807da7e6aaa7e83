import { PgClient } from "@effect/sql-pg"
import { DatabaseProxy } from "@headwater/fixtures/DatabaseProxy"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Context, Effect, Layer, Redacted, Schedule, Schema } from "effect"
import { SqlError } from "effect/sql"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { nameOf } from "../Invariants.ts"
import * as ServerProcess from "../ServerProcess.ts"
import type { Snapshot } from "../Snapshot.ts"
import * as BulkRetries from "./BulkRetries.ts"
import * as Client from "./Client.ts"
import * as Dice from "./Dice.ts"
import * as Endpoints from "./Endpoints.ts"
import * as FaultPlan from "./FaultPlan.ts"
import * as Faults from "./Faults.ts"
import * as FaultTimes from "./FaultTimes.ts"
import * as FileCheck from "./FileCheck.ts"
import * as Findings from "./Findings.ts"
import * as Lanes from "./Lanes.ts"
import * as Load from "./Load.ts"
import * as Observer from "./Observer.ts"
import * as Passing from "./Passing.ts"
import * as Reader from "./Reader.ts"
import * as Requests from "./Requests.ts"
import * as Resumes from "./Resumes.ts"
import * as TokenCheck from "./TokenCheck.ts"
import * as TokenProvider from "./TokenProvider.ts"
import * as Topology from "./Topology.ts"

export interface CrashOptions {
  readonly seed: number
  /** No life of the server begins after so long, in milliseconds, once so many requests are acknowledged. */
  readonly forMs: number
  readonly leastAcked: number
  /** How long a server may take to take requests again after a disturbance, in milliseconds. */
  readonly recoveryMs: number
  /** How many processes of the server do its work. */
  readonly workers: number
  readonly senders: number
  /** How long each sender waits between two requests, at most, in milliseconds. */
  readonly thinkMs: number
  /** How many lives of the server there are from one reconciliation to the next. */
  readonly livesBetweenSettling: number
  /** A round of lives; they come round after round. */
  readonly plan: (dice: Dice.Dice) => ReadonlyArray<FaultPlan.Life>
  readonly log: (line: string) => void
}

/** What a run came to. All is well when `findings` is empty. */
export interface CrashReport {
  readonly seed: number
  readonly acked: number
  readonly lost: number
  readonly reordered: number
  readonly torn: number
  /** Events that were delivered again over a fault. */
  readonly duplicates: number
  readonly unjustified: number
  readonly unavailable: number
  /** How often the server was ended, and how often it or its database was disturbed. */
  readonly kills: number
  readonly disturbances: number
  readonly balanced: boolean
  readonly balance_checks: number
  readonly events: number
  readonly deliveries: number
  /** How often an OAuth token was renewed. */
  readonly renewals: number
  readonly restart_ms_max: number
  readonly seconds: number
  /** How often each fault happened. */
  readonly faults: Readonly<Record<string, number>>
  /** Crash points that the server was told to die at and never did. */
  readonly points_not_reached: ReadonlyArray<string>
  readonly findings: ReadonlyArray<string>
  /** Where the data directory and the server's last words are, if something broke. */
  readonly kept: string | undefined
}

/** The harness itself could not go on. */
export class HarnessFailed extends Schema.TaggedError<HarnessFailed>()("HarnessFailed", {
  message: Schema.String
}) {}

const lookEvery = "250 millis"

/**
 * How long nothing may be delivered or run, retries included, while there is something still to be done: a renewal of a token that
 * runs wait for has been a lost server's for a minute.
 */
const settleMs = 90_000

const failed = (message: string) => (cause: { readonly message: string }) =>
  new HarnessFailed({ message: `${message}: ${cause.message}` })

/** The embedded database of the server, found again whenever it comes back. */
const databaseOf = (dataDirectory: string) =>
  Layer.unwrap(
    Effect.map(EmbeddedPostgres.attach, (connection) =>
      PgClient.layer({
        ...connection,
        applicationName: "crash-harness",
        maxConnections: 3,
        connectTimeout: "2 seconds"
      }))
  ).pipe(Layer.provide(DataDirectory.layer(dataDirectory)))

/** Names something that is still to be done; undefined when all is done. */
const owingIn = ({ cursors, due, programs, unended }: Snapshot): string | undefined => {
  const inactive = new Set(programs.filter(({ active }) => !active).map(({ id }) => id))
  const behind = cursors.find((cursor) => cursor.n < cursor.head_n && !inactive.has(cursor.listener_id))
  if (behind !== undefined) return `${nameOf(behind)} stands at ${behind.n} of ${behind.head_n}`
  const pending = cursors.find((cursor) => cursor.pending > 0n)
  if (pending !== undefined) return `${nameOf(pending)} has ${pending.pending} deliveries waiting for a retry`
  const work = due.find(({ kind }) => kind === "emit" || kind === "delete" || kind === "bulk")
  if (work !== undefined) return `${work.owner_id} owes ${work.items} of kind ${work.kind}`
  const [run] = unended
  if (run !== undefined) return `${run.workflow_id} has ${run.runs} runs that have not ended`
  const moving = programs.find(({ state }) => state !== "ready")
  return moving === undefined ? undefined : `${moving.id} is ${moving.state}`
}

/** How much is still to be done: it gets less as long as there is progress. */
const amountOwedIn = ({ cursors, programs, unended }: Snapshot): number => {
  const inactive = new Set(programs.filter(({ active }) => !active).map(({ id }) => id))
  const behind = cursors.filter(({ listener_id }) => !inactive.has(listener_id))
    .reduce((sum, { head_n, n, pending }) => sum + head_n - n + pending, 0n)
  return Number(unended.reduce((sum, { runs }) => sum + runs, behind))
}

/** One run: lives of a server under load, one after the other, and what is known of it checked all the time. */
export const run = Effect.fnUntraced(function*(options: CrashOptions) {
  const { log, seed } = options
  const startedAt = Date.now()
  const directory = yield* Effect.promise(() => Fs.mkdtemp(Path.join(Os.tmpdir(), "headwater-crash-")))
  const dataDirectory = Path.join(directory, "data")
  const findings = Findings.make()
  const times = FaultTimes.make()
  /** Of these and of what is no reason to send anything again, but may end a run. */
  const upsets = FaultTimes.make()
  const requests = Requests.make(findings)
  const resumes = Resumes.make(findings)
  const gate = Load.gate()
  const server = yield* ServerProcess.makeIn(dataDirectory)
  const faults = Faults.make(server, dataDirectory, Dice.make(seed, "victims"), options.workers)
  const happened = new Map<string, number>()
  const unreached = new Set<string>()
  const reached = new Set<string>()
  const lastWords: Array<string> = []
  let kills = 0
  let disturbances = 0
  let restartMs = 0
  let restartMsMax = 0

  const note = (name: string) => {
    happened.set(name, (happened.get(name) ?? 0) + 1)
  }

  const rememberWords = () => {
    lastWords.push(`--- ${new Date().toISOString()}\n${server.output()}`)
    if (lastWords.length > 20) lastWords.shift()
  }

  const start = Effect.fnUntraced(function*(environment: Record<string, string>) {
    const at = Date.now()
    const isAtItsPoint = () => server.output().includes(CrashPoint.announcement)
    // It may come to its point while it starts; and one that stops there is not to stand still until it is given up.
    yield* server.startWith(environment).pipe(
      Effect.catchIf(isAtItsPoint, () => Effect.void),
      Effect.raceFirst(Effect.repeat(Effect.sync(isAtItsPoint), {
        until: (isThere) => isThere,
        schedule: Schedule.spaced("20 millis")
      }))
    )
    restartMs = Date.now() - at
    restartMsMax = Math.max(restartMsMax, restartMs)
    times.end()
    upsets.end()
  })

  yield* start({ HEADWATER_LOG_LEVEL: "warn", HEADWATER_WORKERS: String(options.workers) }).pipe(
    Effect.mapError(failed("the server did not start"))
  )

  // What arrives before it is known whose it is.
  const early: Array<Lanes.Reception> = []
  let receive = (reception: Lanes.Reception): void => {
    early.push(reception)
  }
  const endpoints = yield* Endpoints.make(Dice.make(seed, "endpoints"), (reception) => receive(reception))
  const provider = yield* TokenProvider.make(Dice.make(seed, "provider"), findings, times)
  const topology = yield* Topology.deploy(server.api, { endpoints, findings, requests, resumes, provider }).pipe(
    Effect.mapError(failed("the sources could not be deployed"))
  )
  const exact = new Set(topology.routes.map(({ subscriptionId }) => subscriptionId))
  const withLists = new Set(topology.routes.filter(({ lists }) => lists).map(({ subscriptionId }) => subscriptionId))
  const orderings = new Map(topology.routes.map(({ ordering, subscriptionId }) => [subscriptionId, ordering]))
  const standing = new Set(topology.programs.map(({ id }) => id))
  const lanes = Lanes.make(findings, times, {
    isExact: (subscriptionId, emitterId) => exact.has(subscriptionId) && standing.has(emitterId),
    orderingOf: (subscriptionId) => orderings.get(subscriptionId) ?? "ordered",
    hasLists: (subscriptionId) => withLists.has(subscriptionId)
  })
  receive = lanes.received
  for (const reception of early) receive(reception)

  const observer = Observer.make({ findings, lanes, requests, topology })
  const client = Client.make(server.url, findings)
  const underWay = new Set<string>()
  const passing = Passing.make({
    client,
    dice: Dice.make(seed, "passing"),
    endpoints,
    findings,
    gate,
    lanes,
    requests,
    standing: topology.programs,
    pauseMs: 100
  })

  const looking = observer.look.pipe(
    // While the database is away there is nothing to look at.
    Effect.catchCause(() => Effect.void),
    Effect.andThen(Effect.sleep(lookEvery)),
    Effect.forever
  )

  const lookNow = observer.look.pipe(
    // A rollback on a connection that is gone is a defect of the client's.
    Effect.catchDefect((defect) => SqlError.isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)),
    Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 300 }),
    Effect.mapError((error: SqlError.SqlError) => failed("the database does not come back")(error))
  )

  /** Lets everything come to rest and holds what was acknowledged against what is there. */
  const settle = Effect.gen(function*() {
    gate.close()
    // Where something is broken already there is nothing to wait for.
    const patience = findings.total() > 0 ? 5_000 : settleMs
    let until = Date.now() + patience
    let fewest = Infinity
    let owing: string | undefined = "everything"
    let snapshot: Snapshot | undefined
    while (owing !== undefined && Date.now() < until) {
      yield* Effect.sleep("200 millis")
      const quiet = underWay.size === 0 && passing.isIdle()
      snapshot = yield* lookNow
      const missing = lanes.missing()
      const left = missing + amountOwedIn(snapshot)
      if (left < fewest) until = Date.now() + patience
      fewest = Math.min(fewest, left)
      owing = !quiet
        ? "requests are under way"
        : owingIn(snapshot) ?? (missing > 0 ? `${missing} deliveries` : undefined)
    }
    if (owing !== undefined) {
      // After another finding it was not waited for long: what is under way is not lost.
      if (findings.total() > 0) return
      findings.note("lost", `for ${settleMs} ms nothing came of what is still to be done`, { owing })
    }
    lanes.settle()
    requests.settle()
    if (snapshot !== undefined) {
      observer.takeQuiet(snapshot)
      yield* passing.settle(snapshot).pipe(Effect.mapError(failed("what comes and goes could not be checked")))
      yield* FileCheck.ofAccount(findings, upsets).pipe(Effect.mapError(failed("the files could not be read")))
      yield* TokenCheck.check(findings).pipe(Effect.mapError(failed("the accounts could not be read")))
    }
    gate.open()
  })

  const awaitRecovery = Effect.fnUntraced(function*(ending: FaultPlan.Ending) {
    const before = requests.acknowledgements()
    const came = yield* Effect.sync(() =>
      requests.acknowledgements() > before || server.pid() === undefined || faults.isAtEnd(ending)
    ).pipe(
      Effect.repeat({ until: (over) => over, schedule: Schedule.spaced("20 millis") }),
      Effect.timeoutOption(options.recoveryMs)
    )
    if (came._tag === "None") findings.note("unavailable", `nothing was acknowledged for ${options.recoveryMs} ms`)
    times.end()
    upsets.end()
  })

  /** For a life of the server whose database is not its own, and is reached through a proxy. */
  const behindProxy = Effect.gen(function*() {
    const data = DataDirectory.layer(dataDirectory)
    const services = yield* Layer.build(EmbeddedPostgres.layer().pipe(Layer.provideMerge(data)))
    const { connection } = Context.get(services, EmbeddedPostgres)
    const secret = yield* Context.get(services, DataDirectory).secret("secret-key")
    const proxy = yield* DatabaseProxy.make(() => ({ path: connection.path }))
    const password = encodeURIComponent(Redacted.value(connection.password))
    const url = `postgres://${connection.username}:${password}@127.0.0.1:${proxy.port}/${connection.database}`
    const environment = {
      DATABASE_URL: url,
      HEADWATER_SECRET_KEY: Redacted.value(secret),
      // As it is by default where the database is the server's own.
      HEADWATER_EGRESS_ALLOW: "loopback"
    }
    return { proxy, environment }
  }).pipe(Effect.mapError(failed("the database behind the proxy did not start")))

  const live = Effect.fnUntraced(function*(life: FaultPlan.Life) {
    const { disturbance, ending } = life
    passing.aimAt(ending._tag === "CrashPoint" ? ending.point : undefined)
    const proxied = disturbance?._tag === "BlackHole" ? yield* behindProxy : undefined
    yield* start({ ...faults.environment(disturbance, ending), ...proxied?.environment }).pipe(
      Effect.mapError(failed("the server did not come back"))
    )
    if (server.pid() !== undefined) {
      yield* lookNow.pipe(Effect.catchIf(() => server.pid() === undefined, () => Effect.void))
    }
    if (disturbance !== undefined) {
      yield* Effect.sleep(life.disturbAfterMs)
      // A sandbox is no reason to send anything again.
      if (disturbance._tag !== "Sandbox") times.begin()
      upsets.begin()
      if (yield* faults.disturb(disturbance, proxied?.proxy)) {
        disturbances += 1
        note(FaultPlan.nameOf(disturbance))
      }
      yield* awaitRecovery(ending)
    }
    if (ending._tag !== "CrashPoint") yield* Effect.sleep(life.endAfterMs)
    // Told to stop, a server finishes what it has begun; nothing has to be sent again.
    if (ending._tag !== "Stop") times.begin()
    upsets.begin()
    const { asPlanned, code } = yield* faults.end(ending)
    kills += 1
    note(asPlanned ? FaultPlan.nameOf(ending) : "Kill")
    if (ending._tag === "CrashPoint") {
      if (asPlanned) reached.add(ending.point)
      else unreached.add(ending.point)
    }
    if (ending._tag === "Stop" && code !== 0) {
      findings.note("unavailable", `told to stop, the server ended with ${String(code)}`)
    }
    rememberWords()
    log(
      `${Math.round((Date.now() - startedAt) / 1_000)} s: ${kills} ${FaultPlan.nameOf(ending)}${
        asPlanned ? "" : " (not reached)"
      }` +
        (disturbance === undefined ? "" : ` after ${FaultPlan.nameOf(disturbance)}`) +
        `: started in ${restartMs} ms, ${requests.acknowledgements()} acknowledged, ${lanes.deliveries()} deliveries, ${provider.renewals()} renewals, ${findings.total()} findings`
    )
  }, Effect.scoped)

  const lives = Effect.gen(function*() {
    const dice = Dice.make(seed, "plan")
    // On a busy machine the time may be over before the first life has begun, or has done anything.
    const hasEnough = () => kills > 0 && requests.acknowledgements() >= options.leastAcked
    const isOver = () => (hasEnough() && Date.now() - startedAt >= options.forMs) || findings.total() > 0
    yield* server.stop
    let sinceSettled = 0
    while (!isOver()) {
      for (const life of options.plan(dice)) {
        if (isOver()) break
        if (sinceSettled >= options.livesBetweenSettling) {
          sinceSettled = 0
          yield* start(faults.environment(undefined, { _tag: "Kill" })).pipe(
            Effect.mapError(failed("the server did not come back"))
          )
          yield* settle
          rememberWords()
          log(`     settled: ${observer.events()} events read, ${lanes.duplicates()} sent again over a fault`)
          yield* server.stop
        }
        sinceSettled += 1
        yield* live(life)
      }
    }
    yield* start(faults.environment(undefined, { _tag: "Kill" })).pipe(
      Effect.mapError(failed("the server did not come back"))
    )
    yield* settle
    rememberWords()
    yield* server.stop
  })

  const work = Effect.raceAllFirst([
    lives,
    looking,
    Load.run(seed, options.senders, {
      client,
      findings,
      requests,
      programs: topology.programs,
      gate,
      thinkMs: options.thinkMs,
      underWay
    }),
    passing.run,
    resumes.run(client),
    Reader.run(topology.consumerId, {
      client,
      dice: Dice.make(seed, "reader"),
      findings,
      lanes,
      isStanding: (emitterId) => standing.has(emitterId)
    }),
    BulkRetries.run({ client, gate, pauseMs: 2_000 })
  ])
  yield* work.pipe(
    Effect.provide(databaseOf(dataDirectory)),
    Effect.mapError((error) => error instanceof HarnessFailed ? error : failed("the database can't be reached")(error)),
    Effect.catchTag("HarnessFailed", (error) =>
      Effect.sync(() => {
        rememberWords()
        findings.note("unavailable", error.message)
      }))
  )

  const isWell = findings.total() === 0
  if (isWell) yield* Effect.promise(() => Fs.rm(directory, { recursive: true, force: true }))
  else yield* Effect.promise(() => Fs.writeFile(Path.join(directory, "server.log"), lastWords.join("\n")))
  return {
    seed,
    acked: requests.acknowledgements(),
    lost: findings.count("lost"),
    reordered: findings.count("reordered"),
    torn: findings.count("torn"),
    duplicates: lanes.duplicates(),
    unjustified: findings.count("unjustified"),
    unavailable: findings.count("unavailable"),
    kills,
    disturbances,
    balanced: findings.count("unbalanced") === 0,
    balance_checks: observer.looks(),
    events: observer.events(),
    deliveries: lanes.deliveries(),
    renewals: provider.renewals(),
    restart_ms_max: restartMsMax,
    seconds: Math.round((Date.now() - startedAt) / 1_000),
    faults: Object.fromEntries([...happened].toSorted(([a], [b]) => a < b ? -1 : 1)),
    points_not_reached: [...unreached].filter((point) => !reached.has(point)),
    findings: findings.lines(),
    kept: isWell ? undefined : directory
  } satisfies CrashReport as CrashReport
}, Effect.scoped)
