import { Schema } from "effect"

/** The place of a worker among those of its server. */
export const WorkerPlace = Schema.Struct({
  /** From 1 on. */
  number: Schema.Int,
  /** The number of workers. */
  of: Schema.Int,
  /** The address at which it answers the other nodes. */
  node: Schema.Struct({ host: Schema.String, port: Schema.Int })
})
export type WorkerPlace = typeof WorkerPlace.Type

/** As an argument of the worker's command. */
export const WorkerPlaceText = Schema.fromJsonString(WorkerPlace)
