import { Schema } from "effect"
import * as Database from "../Database.ts"

/** Starts a job queue that takes `POST` requests at an address and delivers each below the sink. */
export const peer = {
  request: Schema.Struct({
    /** The folder that has its packages. */
    packages: Schema.String,
    database: Database.Address,
    /** None where there is no Redis. */
    redisPort: Schema.optionalKey(Schema.Int),
    /** Where a delivery goes. */
    target: Schema.String
  }),
  reply: Schema.Struct({
    url: Schema.String,
    /** When a request is acknowledged, and the settings that make this durable, as the store says them. */
    durability: Schema.String,
    /** What it is set to, other than by default. */
    settings: Schema.String
  })
}
