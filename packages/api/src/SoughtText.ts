import { Schema } from "effect"
import { textUpTo } from "./Text.ts"

/** Text to look for; none is found everywhere. */
export const SoughtText = textUpTo(200).pipe(Schema.check(Schema.isMinLength(1)))
