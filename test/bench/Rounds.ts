/** Several things measured in turn, again and again, so that what changes on the machine meanwhile meets them all. */
import { Effect } from "effect"
import type { BenchFailed } from "./BenchFailed.ts"
import * as Progress from "./Progress.ts"
import * as Statistics from "./Statistics.ts"
import type { Piece, Pressure, Subject, Workbench } from "./Workbench.ts"

export interface Cell {
  readonly name: string
  readonly subject: Subject
  readonly pressure: Pressure
}

/** What came of a cell. */
export interface Measured {
  readonly name: string
  /** One for each round. */
  readonly pieces: ReadonlyArray<Piece>
  /** What was run before, which counts for nothing but what it lost. */
  readonly warmUp: ReadonlyArray<Piece>
}

/** How long each cell is run before anything of it counts, in seconds. */
const longestWarmUp = 3

export const throughputOf = ({ pieces }: Measured): number =>
  Statistics.median(pieces.map(({ throughput }) => throughput))

export const ackOf = ({ pieces }: Measured) => Statistics.medianLatency(pieces.map(({ ack }) => ack))

export const receiptOf = ({ pieces }: Measured) => Statistics.medianLatency(pieces.map(({ receipt }) => receipt))

export const fromPostOf = ({ pieces }: Measured) => Statistics.medianLatency(pieces.map(({ fromPost }) => fromPost))

const total = (measured: ReadonlyArray<Measured>, field: "lost" | "duplicates"): number =>
  measured.flatMap(({ pieces, warmUp }) => [...pieces, ...warmUp]).reduce((sum, piece) => sum + piece[field], 0)

export const lostOf = (measured: ReadonlyArray<Measured>): number => total(measured, "lost")

export const duplicatesOf = (measured: ReadonlyArray<Measured>): number => total(measured, "duplicates")

/** One round runs the cells in order, the next in reverse. */
export const interleave = Effect.fnUntraced(function*(
  workbench: Workbench,
  cells: ReadonlyArray<Cell>,
  options: { readonly rounds: number; readonly warmUp: boolean }
): Effect.fn.Return<ReadonlyArray<Measured>, BenchFailed> {
  const pieces = new Map<Cell, Array<Piece>>(cells.map((cell) => [cell, []]))
  const warmUps = new Map<Cell, Piece>()
  for (const cell of options.warmUp ? cells : []) {
    const seconds = Math.min(cell.pressure.seconds, longestWarmUp)
    const piece = yield* workbench.measure(cell.subject, { ...cell.pressure, seconds })
    warmUps.set(cell, piece)
    yield* Progress.say(`warm-up: ${cell.name}: ${Progress.figure(piece.throughput)}/s, lost ${piece.lost}`)
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const cell of round % 2 === 0 ? cells : cells.toReversed()) {
      const piece = yield* workbench.measure(cell.subject, cell.pressure)
      pieces.get(cell)?.push(piece)
      yield* Progress.say(
        `round ${round + 1} of ${options.rounds}: ${cell.name}: ${Progress.figure(piece.throughput)}/s, ` +
          `lost ${piece.lost}`
      )
    }
  }
  return cells.map((cell) => {
    const warmUp = warmUps.get(cell)
    return { name: cell.name, pieces: pieces.get(cell) ?? [], warmUp: warmUp === undefined ? [] : [warmUp] }
  })
})
