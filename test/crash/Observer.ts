import { Effect, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Invariants } from "../Invariants.ts"
import * as Snapshot from "../Snapshot.ts"
import type { Findings } from "./Findings.ts"
import type { Lanes } from "./Lanes.ts"
import type { Requests } from "./Requests.ts"
import type { StandingProgram, Topology } from "./Topology.ts"

/** Reads the database and holds what it says against everything that is known. */
export interface Observer {
  /** Takes in one moment. Whatever the server is doing then, what is committed has to be consistent. */
  readonly look: Effect.Effect<Snapshot.Snapshot, SqlError.SqlError, SqlClient.SqlClient>
  /** Takes in a moment at which nothing is under way. */
  readonly takeQuiet: (snapshot: Snapshot.Snapshot) => void
  readonly looks: () => number
  readonly events: () => number
}

/** What a source that comes and goes has said. */
interface Said {
  deployed: boolean
  count: number
}

export const make = (options: {
  readonly findings: Findings
  readonly lanes: Lanes
  readonly requests: Requests
  readonly topology: Topology
}): Observer => {
  const { findings, lanes, requests, topology: { programs, routes } } = options
  const standing = new Map<string, StandingProgram>(programs.map((program) => [program.id, program]))
  const rank = new Map(programs.map(({ id }, index) => [id, index]))
  const mayHaveGaps = (emitterId: string) => !standing.has(emitterId)
  const invariants = new Invariants(findings.note, mayHaveGaps)
  const passing = new Map<string, Said>()
  /** Where each subscription began on each emitter. */
  const starts = new Map<string, bigint>()
  /** What one look reads begins where the one before it ended. */
  const looking = Semaphore.makeUnsafe(1)
  let looks = 0
  let events = 0

  const ofPassing = ({ emitter_id, payload, stream }: Snapshot.EventRow) => {
    const said = passing.get(emitter_id) ?? { deployed: false, count: 0 }
    passing.set(emitter_id, said)
    const event = JSON.parse(payload)
    if (stream === "$requests") return requests.logged(emitter_id, event.body.key)
    if (stream !== "") return
    if (event.hook === "deploy") {
      if (said.deployed) findings.note("torn", "a hook's events came twice", { emitter: emitter_id })
      said.deployed = true
    } else if (event.count !== undefined) {
      if (event.count <= said.count) {
        findings.note("torn", "a run counted from a store that is not that of the run before", { emitter_id, event })
      }
      said.count = event.count
    }
  }

  const route = (event: Snapshot.EventRow) => {
    for (const { emitterId, stream, subscriptionId } of routes) {
      if (stream !== event.stream) continue
      if (emitterId === undefined ? !event.emitter_id.startsWith("dc_") : emitterId !== event.emitter_id) continue
      const start = starts.get(Snapshot.positionKey(subscriptionId, event.emitter_id)) ?? 0n
      if (event.n > start) lanes.appended(subscriptionId, event)
    }
  }

  /** Each emitter's requests before the runs that they led to, and no emitter before those that it listens to. */
  const inOrder = (rows: ReadonlyArray<Snapshot.EventRow>) => {
    const place = ({ emitter_id, stream }: Snapshot.EventRow) =>
      2 * (rank.get(emitter_id) ?? programs.length) + (stream === "$requests" ? 0 : 1)
    return rows.toSorted((a, b) => place(a) - place(b))
  }

  const take = (snapshot: Snapshot.Snapshot) => {
    looks += 1
    events += snapshot.events.length
    for (const { emitter_id, start_n, subscription_id } of snapshot.cursors) {
      starts.set(Snapshot.positionKey(subscription_id, emitter_id), start_n)
    }
    invariants.take(snapshot)
    for (const event of inOrder(snapshot.events)) {
      const program = standing.get(event.emitter_id)
      if (program === undefined) {
        ofPassing(event)
        continue
      }
      program.check.event(event)
      if (event.stream === "") { for (const listener of program.listeners) listener.check.heard(event) }
      route(event)
    }
    for (const { check } of programs) check.agree(snapshot)
  }

  return {
    look: Effect.suspend(() => Snapshot.read(invariants.positions())).pipe(
      Effect.tap((snapshot) => Effect.sync(() => take(snapshot))),
      looking.withPermits(1)
    ),
    takeQuiet: (snapshot) => invariants.takeQuiet(snapshot),
    looks: () => looks,
    events: () => events
  }
}
