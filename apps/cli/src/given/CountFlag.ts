import { Flag } from "effect/cli"

/** A flag for how many there are to be, which is one at least where nothing else is said. */
export const make = (name: string, description: string, least = 1): Flag.Flag<number> =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.filter((count) => count >= least, () => `a whole number of ${least} or more`)
  )

/** As many of a list as it shows by itself, or as somebody asks for. */
export const limit = (usual: number): Flag.Flag<number> =>
  make("limit", `At most so many. Default: ${usual}`).pipe(Flag.withDefault(usual))
