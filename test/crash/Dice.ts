import { Effect, Random } from "effect"

/** What looks random and comes from a seed, for code that can't wait. */
export interface Dice {
  /** A whole number from `from` to `to`, both included. */
  readonly between: (from: number, to: number) => number
  /** Whether something of this probability happens. */
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** The items in another order. */
  readonly shuffle: <A>(items: ReadonlyArray<A>) => ReadonlyArray<A>
}

/** Dice of their own for each purpose, so that one that is thrown more often does not change the others. */
export const make = (seed: number, purpose: string): Dice => {
  const random = Effect.runSync(Random.withSeed(Random.Random, `${seed} ${purpose}`))
  const between = (from: number, to: number) => from + Math.floor(random.nextDoubleUnsafe() * (to - from + 1))
  const pick = <A>(items: ReadonlyArray<A>): A => items[between(0, items.length - 1)]!
  return {
    between,
    chance: (probability) => random.nextDoubleUnsafe() < probability,
    pick,
    shuffle: (items) => {
      const shuffled = [...items]
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = between(0, i)
        ;[shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!]
      }
      return shuffled
    }
  }
}
