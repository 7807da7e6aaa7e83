import { entryBytes } from "@headwater/domain/RunFile"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

/**
 * The room for the files of an account. The bytes that they have are read once, and again where there seems to be no room:
 * others may have removed files since.
 */
export const make = (mostBytes: number, bytesOfAccount: Effect.Effect<number, SqlError.SqlError>) => {
  let known: number | undefined
  /** Takes the room for a part. Answers false if there is none. */
  return Effect.fnUntraced(function*(place: number, size: number) {
    const bytes = size + (place === 0 ? entryBytes : 0)
    if (known === undefined || known + bytes > mostBytes) known = yield* untilAnswered(bytesOfAccount)
    if (known + bytes > mostBytes) return false
    known += bytes
    return true
  })
}
