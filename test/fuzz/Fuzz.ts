import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Clock, Console, Effect, Predicate, Schedule } from "effect"
import * as ContractValidator from "../ContractValidator.ts"
import * as OperatorAccount from "../OperatorAccount.ts"
import * as ServerProcess from "../ServerProcess.ts"
import { type FaultKind, faultKinds } from "./AnswerCheck.ts"
import { operationsOf } from "./ApiDocument.ts"
import type { Target } from "./Execution.ts"
import * as Findings from "./Findings.ts"
import { hunt } from "./Hunt.ts"
import * as Leaks from "./Leaks.ts"
import * as Plans from "./Plans.ts"
import * as ServerLog from "./ServerLog.ts"
import * as Sink from "./Sink.ts"
import * as Tally from "./Tally.ts"
import * as Tenant from "./Tenant.ts"

export interface FuzzOptions {
  readonly minutes: number
  readonly seed: number
}

/** What a run came to. */
export interface FuzzReport {
  readonly seed: number
  readonly requests: number
  readonly faults: Readonly<Record<FaultKind, number>>
  /** How the server ended or stopped answering; null where it did not. */
  readonly crashed: string | null
  /** Lines of its log that say something went wrong. */
  readonly logErrors: ReadonlyArray<string>
  readonly neverSucceeded: ReadonlyArray<string>
  readonly neverFailed: ReadonlyArray<string>
  readonly table: string
  readonly findings: string
}

/** Whether an invariant broke. */
export const isBroken = ({ crashed, faults, logErrors }: FuzzReport): boolean =>
  crashed !== null || logErrors.length > 0 || Object.values(faults).some((count) => count > 0)

/** Two for each account: what one does must not disturb the other. */
const huntersPerTenant = 2

const markers = { ann: "mkannq7x3w", bob: "mkbobz9k5v" } as const

/** How long a server may take to end what is under way. */
const stopPatience = "40 seconds"

/** The exit code of a server that was told to stop; -1 of one that had to be killed. */
const stopped = (server: ServerProcess.ServerProcess) =>
  server.stop.pipe(
    Effect.timeoutOrElse({ duration: stopPatience, orElse: () => Effect.as(server.kill, -1) })
  )

const json = (url: string, apiKey?: string) =>
  Effect.promise(async (): Promise<unknown> => {
    const response = await fetch(url, apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } })
    return response.json()
  })

const idsIn = (answer: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(answer, "data") && Array.isArray(answer.data)
    ? answer.data.flatMap((item) => Predicate.hasProperty(item, "id") ? [String(item.id)] : [])
    : []

/** Keeps the account's own id and key known, the key alive, and components of the registry, which all have, out of it. */
const introduce = Effect.fnUntraced(function*(url: string, tenant: Tenant.Tenant, leaks: Leaks.Leaks) {
  const me = yield* json(`${url}/v1/users/me`, tenant.apiKey)
  if (Predicate.hasProperty(me, "data") && Predicate.hasProperty(me.data, "id")) {
    tenant.add("account", String(me.data.id))
  }
  const keys = yield* json(`${url}/v1/users/me/keys`, tenant.apiKey)
  for (const id of idsIn(keys)) tenant.spare(id)
  for (const id of idsIn(yield* json(`${url}/v1/registry/components?limit=100`, tenant.apiKey))) tenant.spare(id)
  leaks.find(tenant.name, JSON.stringify([me, keys, tenant.apiKey]), "")
})

const isDocument = (value: unknown): value is ContractValidator.Document =>
  Predicate.hasProperty(value, "paths") && Predicate.isObject(value.paths)

/** Sends what the document of a running server makes think of, from two accounts at once, and holds it to the document. */
export const run = Effect.fnUntraced(function*({ minutes, seed }: FuzzOptions) {
  const dataDirectory = yield* TemporaryDirectory.make("fuzz")
  const server = yield* ServerProcess.makeIn(dataDirectory)
  yield* server.start
  const pid = server.pid()
  const log = ServerLog.make(server.output)

  const leaks = Leaks.make(new Map(Object.entries(markers)))
  const leakedDeliveries: Array<string> = []
  const nameOf = new Map<string, string>(Object.entries(markers).map(([name, marker]) => [marker, name]))
  const sink = yield* Sink.make(({ marker, received }) => {
    leakedDeliveries.push(...leaks.find(nameOf.get(marker) ?? "nobody", received, ""))
  })
  const ann = Tenant.make({ name: "ann", marker: markers.ann, apiKey: ServerProcess.key, sinkUrl: sink.url })
  const bob = Tenant.make({
    name: "bob",
    marker: markers.bob,
    apiKey: (yield* OperatorAccount.create(dataDirectory, { username: "bob", plan: "paid" })).key,
    sinkUrl: sink.url
  })
  // Its own components are in the registry once it says so.
  yield* Effect.repeat(Effect.sync(() => server.output().includes("listens on")), {
    until: (isSaid) => isSaid,
    schedule: Schedule.spaced("100 millis")
  })
  for (const tenant of [ann, bob]) yield* introduce(server.url, tenant, leaks)

  const document = yield* json(`${server.url}/openapi.json`)
  if (!isDocument(document)) return yield* Effect.die(new Error("there is no OpenAPI document"))
  leaks.share(JSON.stringify(document))
  const operations = operationsOf(document)
  const tally = Tally.make()
  const findings = Findings.make()
  const target: Target = {
    port: Number(new URL(server.url).port),
    operations,
    validator: ContractValidator.make(document),
    leaks,
    tally
  }
  const plans = Plans.of(operations)
  const until = (yield* Clock.currentTimeMillis) + minutes * 60_000
  const hunters = [[ann, bob], [bob, ann]].flatMap(([tenant, other], account) =>
    Array.from({ length: huntersPerTenant }, (_, index) =>
      hunt({
        target,
        findings,
        plans,
        tenant: tenant!,
        other,
        seed: seed * 16 + account * huntersPerTenant + index,
        until,
        isOver: () => server.pid() === undefined,
        tends: index === 0
      }))
  )
  yield* Effect.all(hunters, { concurrency: "unbounded" }).pipe(
    Effect.raceFirst(Effect.forever(Effect.andThen(Effect.sleep("500 millis"), log.read)))
  )

  const isReady = yield* Effect.tryPromise(() => fetch(`${server.url}/readyz`)).pipe(
    Effect.map((response) => response.status === 200),
    Effect.orElseSucceed(() => false),
    Effect.repeat({ until: (ready) => ready, schedule: Schedule.spaced("200 millis"), times: 150 })
  )
  const isSame = server.pid() !== undefined && server.pid() === pid
  const exitCode = isSame ? yield* stopped(server) : null
  yield* log.read
  const report: FuzzReport = {
    seed,
    requests: tally.requests(),
    faults: {
      server_error: findings.total("server_error"),
      undocumented: findings.total("undocumented"),
      leak: findings.total("leak") + leakedDeliveries.length,
      misjudged: findings.total("misjudged"),
      unanswered: findings.total("unanswered")
    },
    crashed: !isSame
      ? `the server ended: ${server.output().slice(-2_000)}`
      : !isReady
      ? "the server is not ready at the end"
      : exitCode !== 0
      ? `told to stop, the server ended with ${exitCode}`
      : null,
    logErrors: log.errors(),
    neverSucceeded: tally.neverSucceeded(operations),
    neverFailed: tally.neverFailed(operations),
    table: tally.table(),
    findings: [
      findings.text(),
      ...leakedDeliveries.map((what) => `leak (${faultKinds.leak}): a delivery shows ${what}`)
    ].join("\n")
  }
  return report
}, Effect.scoped)

/** The report as the one line that programs read. */
export const lineOf = (report: FuzzReport): string =>
  JSON.stringify({
    requests: report.requests,
    server_errors: report.faults.server_error,
    undocumented: report.faults.undocumented,
    leaks: report.faults.leak,
    misjudged: report.faults.misjudged,
    unanswered: report.faults.unanswered,
    crashed: report.crashed,
    log_errors: report.logErrors.length,
    never_succeeded: report.neverSucceeded,
    seed: report.seed
  })

export const print = (report: FuzzReport): Effect.Effect<void> =>
  Console.log([
    report.table,
    "",
    ...(report.neverSucceeded.length === 0 ? [] : [`Never answered by 2xx: ${report.neverSucceeded.join(", ")}`]),
    ...(report.neverFailed.length === 0 ? [] : [`Never answered by 4xx: ${report.neverFailed.join(", ")}`]),
    ...report.logErrors.map((line) => `log: ${line.slice(0, 2_000)}`),
    ...(report.crashed === null ? [] : [`crashed: ${report.crashed}`]),
    report.findings
  ].join("\n"))
