import { Schema } from "effect"

/** Which of a server's workers a process is. */
export const WorkerPlace = Schema.Struct({
  /** From 1 on. */
  number: Schema.Int,
  /** How many there are. */
  of: Schema.Int,
  /** Where it answers the other nodes. */
  node: Schema.Struct({ host: Schema.String, port: Schema.Int })
})
export type WorkerPlace = typeof WorkerPlace.Type

/** As an argument of the worker's command. */
export const WorkerPlaceText = Schema.fromJsonString(WorkerPlace)
