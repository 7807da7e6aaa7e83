import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { Schema } from "effect"
import { Text } from "./Text.ts"

/** Ids are shorter than this, so a longer glob says nothing that a shorter one does not. */
const maxGlobLength = 100

/** An emitter by its id or slug, or a glob over ids. */
export const EmitterOrGlob = Text.pipe(
  Schema.check(
    Schema.makeFilter((text) => text.length <= maxGlobLength || !EmitterPattern.isGlob(text), {
      expected: `a glob of at most ${maxGlobLength} characters`,
      toJsonSchema: () => ({})
    })
  )
)
