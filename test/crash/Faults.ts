import type { DatabaseProxy } from "@headwater/fixtures/DatabaseProxy"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { livingProcesses, readPostmaster } from "@headwater/postgres/PostgresProcesses"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import type { ServerProcess } from "../ServerProcess.ts"
import * as WorkerProcesses from "../WorkerProcesses.ts"
import type * as Dice from "./Dice.ts"
import type { Disturbance, Ending } from "./FaultPlan.ts"

/** Does to a running server what a plan says. */
export interface Faults {
  /** What the server has to be started with for these to happen. */
  readonly environment: (disturbance: Disturbance | undefined, ending: Ending) => Record<string, string>
  /**
   * Answers whether it could be done.
   *
   * @param proxy what the server reaches its database through, if anything
   */
  readonly disturb: (
    disturbance: Disturbance,
    proxy: DatabaseProxy | undefined
  ) => Effect.Effect<boolean, never, SqlClient.SqlClient>
  /** Whether one of its workers has come to the point at which the server is to crash, as it does again each time that it is started. */
  readonly isAtEnd: (ending: Ending) => boolean
  /** Ends the server's life, and returns when it is over. Answers whether it ended as planned, and its exit code. */
  readonly end: (ending: Ending) => Effect.Effect<{ readonly asPlanned: boolean; readonly code: number | null }>
}

/** How long the server may take to come to a point. */
const patienceMs = 15_000

const poll = Schedule.spaced("5 millis")

/** A process that is gone already needs no signal. */
const signal = (pid: number, name: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/** The state and the parent of a process, as `/proc` tells them; none of one that is gone. */
const statusOf = async (pid: number | string): Promise<{ name: string; state: string; parent: string } | undefined> => {
  const stat = await Fs.readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  const [, name, state, parent] = /^\d+ \((.*)\) (\S+) (\d+) /s.exec(stat) ?? []
  return name === undefined || state === undefined || parent === undefined ? undefined : { name, state, parent }
}

/** The processes in which a server runs component code. */
const sandboxesOf = (parents: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<number>> =>
  Effect.promise(async () => {
    const pids = (await Fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))
    const found = await Promise.all(pids.map(async (pid) => {
      const status = await statusOf(pid)
      return status?.name.startsWith("deno") === true && parents.includes(Number(status.parent)) ? [Number(pid)] : []
    }))
    return found.flat()
  })

const cut = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'headwater'`
).pipe(
  Effect.as(true),
  Effect.catchCause(() => Effect.succeed(false))
)

/** @param workers how many the server has */
export const make = (server: ServerProcess, dataDirectory: string, dice: Dice.Dice, workers: number): Faults => {
  const postgres = Path.join(dataDirectory, "postgres")

  /** The processes that do the server's work. */
  const working = Effect.suspend(() => {
    const pid = server.pid()
    if (pid === undefined) return Effect.succeed([])
    return workers === 1
      ? Effect.succeed([pid])
      : Effect.map(WorkerProcesses.of(pid), (found) => found.map((worker) => worker.pid))
  })

  const isSaid = (point: CrashPoint.CrashPoint) => server.output().includes(`${CrashPoint.announcement}${point}`)

  const hasReached = Effect.fnUntraced(function*(point: CrashPoint.CrashPoint) {
    yield* Effect.sync(() => isSaid(point) || server.pid() === undefined).pipe(
      Effect.repeat({ until: (over) => over, schedule: poll }),
      Effect.timeoutOption(patienceMs)
    )
    // What it said last may be read after it has ended.
    if (server.pid() === undefined) yield* Effect.sleep("50 millis")
    return isSaid(point)
  })

  /** It says that it has come to a point before it stops there: only one that stands still can be sent on. */
  const hasStopped = Effect.flatMap(working, (pids) =>
    Effect.promise(async () => {
      const states = await Promise.all(pids.map(statusOf))
      return server.pid() === undefined || states.some((status) => status?.state === "T")
    })).pipe(
      Effect.repeat({ until: (over) => over, schedule: poll })
    )

  /** Whatever becomes of it meanwhile, the server goes on afterwards. */
  const whileStopped = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.ensuring(
      effect,
      Effect.map(working, (pids) => {
        for (const pid of pids) signal(pid, "SIGCONT")
      })
    )

  const disturb = Effect.fnUntraced(function*(disturbance: Disturbance, proxy: DatabaseProxy | undefined) {
    const pid = server.pid()
    if (pid === undefined) return false
    switch (disturbance._tag) {
      case "Postgres": {
        const postmaster = yield* readPostmaster(postgres)
        if (postmaster === undefined || !signal(postmaster.pid, disturbance.signal)) return false
        if (disturbance.signal !== "SIGTERM") return true
        // It lets those who are connected stay and nobody else in; after a while it is told to stop at once.
        yield* Effect.sleep("2 seconds")
        return signal(postmaster.pid, "SIGINT")
      }
      case "Backend": {
        const postmaster = yield* readPostmaster(postgres)
        const backends = (yield* livingProcesses(postgres)).filter((one) => one !== postmaster?.pid)
        return backends.length > 0 && signal(dice.pick(backends), "SIGKILL")
      }
      case "Cut":
        return yield* cut
      case "CutAt": {
        if (yield* hasReached(disturbance.point)) return yield* whileStopped(Effect.andThen(hasStopped, cut))
        // It would stop there later, and nobody would send it on.
        yield* server.kill
        return false
      }
      case "BlackHole":
        if (proxy === undefined) return false
        proxy.hold()
        yield* Effect.ensuring(
          Effect.sleep(disturbance.forMs),
          Effect.sync(() => proxy.release({ present: disturbance.present }))
        )
        return true
      case "Sandbox": {
        const sandboxes = yield* sandboxesOf(yield* working)
        return sandboxes.length > 0 && signal(dice.pick(sandboxes), "SIGKILL")
      }
      case "Worker": {
        const pids = yield* working
        return pids.length > 0 && signal(dice.pick(pids), "SIGKILL")
      }
      case "Freeze": {
        const pids = yield* working
        if (pids.length === 0 || !signal(dice.pick(pids), "SIGSTOP")) return false
        yield* whileStopped(Effect.sleep(disturbance.forMs))
        return true
      }
    }
  })

  const end = Effect.fnUntraced(function*(ending: Ending) {
    switch (ending._tag) {
      case "CrashPoint": {
        const asPlanned = yield* hasReached(ending.point)
        // Its other workers go on, and the one that died comes back, for a while.
        if (asPlanned && workers > 1) yield* Effect.sleep(dice.between(0, 4_000))
        if (!asPlanned || workers > 1) yield* server.kill
        return { asPlanned, code: yield* server.ended }
      }
      case "Kill":
        yield* server.kill
        return { asPlanned: true, code: null }
      case "KillAll": {
        const living = yield* livingProcesses(postgres)
        const pid = server.pid()
        const ours = pid === undefined ? [] : [pid, ...yield* working]
        for (const one of [...ours, ...living]) signal(one, "SIGKILL")
        yield* server.kill
        return { asPlanned: true, code: null }
      }
      case "Stop":
        return { asPlanned: true, code: yield* server.stop }
    }
  })

  return {
    environment: (disturbance, ending) => ({
      HEADWATER_LOG_LEVEL: "warn",
      HEADWATER_WORKERS: String(workers),
      ...(disturbance?._tag === "CutAt" ? { HEADWATER_STOP_AT: `${disturbance.point}:${disturbance.nth}` } : {}),
      ...(ending._tag === "CrashPoint" ? { HEADWATER_CRASH_AT: `${ending.point}:${ending.nth}` } : {})
    }),
    disturb,
    isAtEnd: (ending) => ending._tag === "CrashPoint" && isSaid(ending.point),
    end
  }
}
