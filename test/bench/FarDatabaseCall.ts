import { Schema } from "effect"

/** Puts a database that listens on a unix socket farther away; answers at which port it is then. */
export const farDatabase = {
  request: Schema.Struct({ path: Schema.String, roundTripMs: Schema.Finite }),
  reply: Schema.Struct({ port: Schema.Int })
}
