import { Schema } from "effect"

export const UnixSeconds = Schema.Int.annotate({ description: "Unix time in seconds." })
