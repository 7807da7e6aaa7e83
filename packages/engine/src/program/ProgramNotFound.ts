import { Schema } from "effect"

/** The program is gone, or was never there. */
export class ProgramNotFound extends Schema.TaggedError<ProgramNotFound>()("ProgramNotFound", {}) {}
