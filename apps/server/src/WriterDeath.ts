import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Effect, Layer } from "effect"

/**
 * Ends the process where its writer has died of a defect: nothing would be written any more, and what is in memory can't be
 * relied on. The next process goes on from what is durable.
 *
 * @param exit ends the process with a code
 */
export const layer = (exit: (code: number) => void = process.exit) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const writer = yield* GroupCommit
    yield* writer.died.pipe(
      Effect.flatMap((cause) =>
        Effect.logFatal("The commit writer failed because of a bug, and the server stops. Start it again", cause)
      ),
      Effect.andThen(Effect.sync(() => exit(1))),
      Effect.forkScoped
    )
  }))
