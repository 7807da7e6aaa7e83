import { VirtualClock } from "@headwater/domain/VirtualClock"
import { DevClocks } from "@headwater/log/work/DevClocks"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { ServerConfig } from "./ServerConfig.ts"

/** The database and the setting do not agree on whether the clock can be moved. */
export class DevClockRefused extends Schema.TaggedError<DevClockRefused>()("DevClockRefused", {
  message: Schema.String
}) {}

/**
 * The clock of the server: real time, or one that can be moved. That is for databases which were made for it: it leaves times
 * in them that are yet to come, and may have removed what is not old.
 */
export const layer = Layer.effectContext(Effect.gen(function*() {
  const { devClock } = yield* ServerConfig
  const clocks = yield* DevClocks
  const place = yield* clocks.place
  if (!devClock) {
    if (Option.isNone(place)) return Context.empty() as Context.Context<never>
    return yield* new DevClockRefused({
      message:
        "This database was made for the dev clock, and has times in it that are yet to come. Start the server with " +
        "--dev-clock (HEADWATER_DEV_CLOCK=1), or on another database (HEADWATER_DATA_DIR or DATABASE_URL)"
    })
  }
  if (Option.isNone(place)) {
    if (!(yield* clocks.isFresh)) {
      return yield* new DevClockRefused({
        message:
          "--dev-clock (HEADWATER_DEV_CLOCK=1): this database was not made for the dev clock, which would spoil the times " +
          "in it. Start the server on a new one, such as with HEADWATER_DATA_DIR=.headwater-test, or without a dev clock"
      })
    }
    yield* clocks.create
  }
  const real = yield* Clock.Clock
  const clock = Option.match(place, {
    onNone: () => new VirtualClock(real),
    onSome: (place) =>
      new VirtualClock(
        real,
        place._tag === "Standing" ? { mode: "standing", at: place.at } : { mode: "running", aheadMs: place.aheadMs }
      )
  })
  return Context.make(Clock.Clock, clock as Clock.Clock)
})).pipe(Layer.provide(DevClocks.layer))
