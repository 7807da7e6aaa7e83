import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import type * as Dice from "./Dice.ts"

/** What is done to a server that goes on, or is to go on, by itself. */
export type Disturbance =
  /** Postgres dies, is told to stop at once, or is told to stop when everybody has gone. */
  | { readonly _tag: "Postgres"; readonly signal: "SIGKILL" | "SIGINT" | "SIGTERM" }
  /** One of its processes dies, after which it starts over. */
  | { readonly _tag: "Backend" }
  /** All connections of the server are cut. */
  | { readonly _tag: "Cut" }
  /** They are cut while the server stands still at a point. */
  | { readonly _tag: "CutAt"; readonly point: CrashPoint.CrashPoint; readonly nth: number }
  /**
   * What the server and its database say to each other does not arrive for a while, and nobody is told. Then it arrives, or
   * only what is said on new connections does.
   */
  | { readonly _tag: "BlackHole"; readonly forMs: number; readonly present: boolean }
  /** A process that component code runs in dies. */
  | { readonly _tag: "Sandbox" }
  /** One of the server's workers dies. */
  | { readonly _tag: "Worker" }
  /** The server, or one of its workers, stands still for some seconds, wherever it is. */
  | { readonly _tag: "Freeze"; readonly forMs: number }

/** How a server's life ends. */
export type Ending =
  | { readonly _tag: "CrashPoint"; readonly point: CrashPoint.CrashPoint; readonly nth: number }
  | { readonly _tag: "Kill" }
  /** Server and Postgres at once. */
  | { readonly _tag: "KillAll" }
  /** As an operator does it. */
  | { readonly _tag: "Stop" }

/** One life of the server: after so long it is disturbed, if at all, and after so long it ends. */
export interface Life {
  readonly disturbance: Disturbance | undefined
  readonly disturbAfterMs: number
  readonly ending: Ending
  /** A crash point has no time of its own. */
  readonly endAfterMs: number
}

export const nameOf = (fault: Disturbance | Ending): string => {
  switch (fault._tag) {
    case "CrashPoint":
      return `crash at ${fault.point}`
    case "CutAt":
      return `cut at ${fault.point}`
    case "Postgres":
      return `Postgres ${fault.signal}`
    case "BlackHole":
      return fault.present ? "BlackHole" : "BlackHole, connections lost"
    default:
      return fault._tag
  }
}

/** Points that the server comes to with every commit, request, run or send, and not just when something changes. */
const busy: ReadonlySet<CrashPoint.CrashPoint> = new Set([
  "commit-taken",
  "commit-held",
  "commit-written",
  "commit-sent",
  "commit-done",
  "ingest-durable",
  "routing",
  "run-chosen",
  "run-ended",
  "run-begun",
  "step-chosen",
  "step-ended",
  "step-done",
  "send-chosen",
  "send-answered",
  "consumer-read",
  "consumer-commit"
])

const nth = (dice: Dice.Dice, point: CrashPoint.CrashPoint): number =>
  busy.has(point) ? dice.between(1, 100) : dice.between(1, 2)

const crashAt = (dice: Dice.Dice, point: CrashPoint.CrashPoint): Ending => ({
  _tag: "CrashPoint",
  point,
  nth: nth(dice, point)
})

const disturbances = (dice: Dice.Dice, workers: number): ReadonlyArray<Disturbance> => [
  { _tag: "Postgres", signal: "SIGKILL" },
  { _tag: "Postgres", signal: "SIGINT" },
  { _tag: "Postgres", signal: "SIGTERM" },
  { _tag: "Backend" },
  { _tag: "Cut" },
  { _tag: "CutAt", point: "commit-held", nth: dice.between(1, 100) },
  { _tag: "CutAt", point: "commit-written", nth: dice.between(1, 100) },
  { _tag: "CutAt", point: "commit-taken", nth: dice.between(1, 100) },
  { _tag: "BlackHole", forMs: dice.between(500, 20_000), present: true },
  { _tag: "BlackHole", forMs: dice.between(500, 20_000), present: false },
  { _tag: "Sandbox" },
  { _tag: "Freeze", forMs: dice.between(500, 4_000) },
  ...(workers > 1 ? [{ _tag: "Worker" as const }, { _tag: "Worker" as const }, { _tag: "Worker" as const }] : [])
]

/** Nothing but black holes: of every length, and ended in every way that does not depend on what the server comes to. */
export const blackHoles = (dice: Dice.Dice): ReadonlyArray<Life> =>
  dice.shuffle<Ending>([{ _tag: "Kill" }, { _tag: "KillAll" }, { _tag: "Stop" }]).flatMap((ending) =>
    [true, false].map((present) => ({
      disturbance: { _tag: "BlackHole" as const, forMs: dice.between(500, 20_000), present },
      disturbAfterMs: dice.between(100, 1_500),
      ending,
      endAfterMs: dice.between(100, 3_000)
    }))
  )

/**
 * One round: every crash point once, the other endings, and every disturbance once, in an order of its own.
 *
 * @param workers how many the server has
 */
export const round = (workers: number) => (dice: Dice.Dice): ReadonlyArray<Life> => {
  const endings = dice.shuffle<Ending>([
    ...CrashPoint.names.map((point) => crashAt(dice, point)),
    { _tag: "Kill" },
    { _tag: "Kill" },
    { _tag: "Kill" },
    { _tag: "KillAll" },
    { _tag: "KillAll" },
    { _tag: "Stop" }
  ])
  const between = disturbances(dice, workers)
  const places = dice.shuffle([
    ...between,
    ...Array.from({ length: endings.length - between.length }, () => undefined)
  ])
  return endings.map((ending, index) => ({
    ending,
    disturbance: places[index],
    disturbAfterMs: dice.between(100, 1_500),
    endAfterMs: dice.between(100, 3_000)
  }))
}
