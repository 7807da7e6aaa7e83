import { entryBytes } from "@headwater/domain/RunFile"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** The part of the room after which the bytes that files have are read again. */
const partsOfRoom = 16

/**
 * The room for the files of an account. The bytes that they have are read at first, again where there seems to be no room,
 * since others may have removed files, and from time to time, since others may have written some.
 */
export const make = (mostBytes: number, bytesOfAccount: Effect.Effect<number, SqlError.SqlError>) => {
  let known: number | undefined
  let untilRead = 0
  const read = Effect.map(untilAnswered(bytesOfAccount), (bytes) => {
    untilRead = mostBytes / partsOfRoom
    return bytes
  })
  /** Takes the room for a part. Answers false if there is none. */
  return Effect.fnUntraced(function*(place: number, size: number) {
    const bytes = size + (place === 0 ? entryBytes : 0)
    if (known === undefined || untilRead <= 0 || known + bytes > mostBytes) known = yield* read
    if (known + bytes > mostBytes) return false
    known += bytes
    untilRead -= bytes
    return true
  })
}
