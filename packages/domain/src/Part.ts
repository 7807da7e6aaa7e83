/** Parts of a program that are loaded when they are needed. */
import { Effect, Schema } from "effect"

/** The files of the program are no longer those that it began with. */
export class PartMissing extends Schema.TaggedError<PartMissing>()("PartMissing", { cause: Schema.Defect() }) {
  override get message() {
    return "A part of Headwater can't be loaded, as where Headwater was upgraded or removed while this ran. Run it again; if " +
      "that fails too, install it again"
  }
}

export const load = <A>(load: () => Promise<A>): Effect.Effect<A, PartMissing> =>
  Effect.tryPromise({ try: load, catch: (cause) => new PartMissing({ cause }) })
