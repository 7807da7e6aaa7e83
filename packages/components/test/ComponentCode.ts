import { Effect } from "effect"
import { firstParty, keyPrefix } from "../src/FirstParty.ts"

const built = Effect.runPromise(firstParty)

/** The code that the registry has under `headwater-<name>`. */
export const codeOf = (name: string): Effect.Effect<string> =>
  Effect.promise(async () => {
    const found = (await built).find(({ key }) => key === keyPrefix + name)
    if (found === undefined) throw new Error(`There is no component ${name}`)
    return found.code
  })
