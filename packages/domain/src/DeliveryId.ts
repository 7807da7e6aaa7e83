import * as Id from "./Id.ts"
import * as RandomBytes from "./RandomBytes.ts"

/** A fresh id of a delivery that begins at a time, in Unix milliseconds. */
export const make = (now: number): string => Id.of("delivery", now, RandomBytes.take(Id.randomLength))
