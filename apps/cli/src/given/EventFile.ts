import * as ExactJson from "@headwater/domain/ExactJson"
import { Effect, FileSystem, Option, type Schema, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"
import { CommandRefused } from "../CommandRefused.ts"
import type * as FlagWords from "../text/FlagWords.ts"

/** Flags by which a command is given an event. */
export const flags = {
  event: Flag.String("event").pipe(
    Flag.withDescription("A file with the event as JSON; - for standard input"),
    Flag.optional
  ),
  data: Flag.String("data").pipe(Flag.withDescription("The event itself, as JSON"), Flag.optional)
}

/** The flags for the field that the event is sent in. */
export const words = (field: string): FlagWords.Flags => ({ [field]: "--event or --data" })

const textOf = Effect.fnUntraced(function*(file: string) {
  if (file === "-") {
    const stdio = yield* Stdio.Stdio
    return yield* stdio.stdin.pipe(Stream.decodeText, Stream.mkString)
  }
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    files.readFileString(file),
    ({ message }) => new CommandRefused({ message: `--event: ${message}` })
  )
})

const parse = (where: string, text: string) =>
  Effect.try({
    try: () => ExactJson.parse(text) as Schema.Json,
    catch: () => new CommandRefused({ message: `${where} is not JSON` })
  })

/** The event that the flags give; none where neither is given. */
export const read = Effect.fnUntraced(function*(
  { data, event }: { readonly data: Option.Option<string>; readonly event: Option.Option<string> }
) {
  if (Option.isSome(data) && Option.isSome(event)) {
    return yield* new CommandRefused({ message: "--event and --data both give the event: leave one out" })
  }
  if (Option.isSome(data)) return Option.some(yield* parse("--data", data.value))
  if (Option.isNone(event)) return Option.none<Schema.Json>()
  const where = event.value === "-" ? "What standard input holds" : event.value
  return Option.some(yield* parse(where, yield* textOf(event.value)))
})
