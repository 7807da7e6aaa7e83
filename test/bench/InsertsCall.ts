import { Schema } from "effect"
import * as Database from "./Database.ts"

/** Inserts rows for a while. */
export const inserts = {
  request: Schema.Struct({
    database: Database.Address,
    rowsAtOnce: Schema.Int,
    bytes: Schema.Int,
    seconds: Schema.Finite
  }),
  reply: Schema.Struct({ rowsPerSecond: Schema.Finite })
}
