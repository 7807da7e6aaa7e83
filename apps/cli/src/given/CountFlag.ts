import { Flag } from "effect/cli"

/** A flag for how many there are to be, which is one at least. */
export const make = (name: string, description: string): Flag.Flag<number> =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.filter((count) => count >= 1, () => "a whole number of 1 or more")
  )

/** As many of a list as it shows by itself, or as somebody asks for. */
export const limit = (usual: number): Flag.Flag<number> =>
  make("limit", `At most so many. Default: ${usual}`).pipe(Flag.withDefault(usual))
