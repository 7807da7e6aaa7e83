import { entryBytes } from "@headwater/domain/RunFile"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** The bytes that one writer takes before it looks again at what others have taken meanwhile. */
const takenUnseen = 16 * 1024 * 1024

/**
 * The room for the files of an account. The bytes that they have are read at first, after so many more, and where there seems
 * to be no room: others may have written or removed files since.
 */
export const make = (mostBytes: number, bytesOfAccount: Effect.Effect<number, SqlError.SqlError>) => {
  let known = mostBytes
  let taken = takenUnseen
  /** Takes the room for a part. Answers false if there is none. */
  return Effect.fnUntraced(function*(place: number, size: number) {
    const bytes = size + (place === 0 ? entryBytes : 0)
    if (taken >= takenUnseen || known + bytes > mostBytes) {
      known = yield* untilAnswered(bytesOfAccount)
      taken = 0
    }
    if (known + bytes > mostBytes) return false
    known += bytes
    taken += bytes
    return true
  })
}
