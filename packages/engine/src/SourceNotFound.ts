import { Schema } from "effect"

/** The source is gone, or was never there. */
export class SourceNotFound extends Schema.TaggedError<SourceNotFound>()("SourceNotFound", {}) {}
