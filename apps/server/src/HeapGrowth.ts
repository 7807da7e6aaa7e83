import * as Recurring from "@headwater/domain/Recurring"
import { Effect, Layer } from "effect"
import { getHeapStatistics, setFlagsFromString } from "node:v8"

/** The most garbage that may lie in the heap before it is collected, roughly, in bytes. */
const room = 96 * 1024 * 1024

/** In percent of what is in use: the most that V8 grows by itself, and the least it needs so as not to collect all the time. */
const most = 300
const least = 25

const lookEvery = "1 second"

/**
 * Keeps the heap from growing to four times what is in use, as V8 lets it where the machine has memory: with ten thousand
 * sources that is most of what the server takes. V8 reads the share that it may grow by at the end of each collection.
 */
export const layer: Layer.Layer<never> = Layer.effectDiscard(
  Recurring.every(
    "set the growth of the heap",
    lookEvery,
    Effect.sync(() => {
      const percent = Math.floor(100 * room / getHeapStatistics().used_heap_size)
      setFlagsFromString(`--heap-growing-percent=${Math.max(least, Math.min(most, percent))}`)
    })
  )
)
