import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Findings } from "./Findings.ts"

/** How long a renewal may be overdue, in milliseconds: the claim of a node that was lost, and some looks. */
const overdueMs = 90_000

interface AccountRow {
  readonly id: string
  readonly state: string
  readonly error: string | null
  readonly renew_at: bigint | null
}

/** That no account over OAuth 2 fails, since its provider never refuses it, and that the renewal of each is to come. */
export const check = (findings: Findings): Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* sql<AccountRow>`SELECT id, state, error, renew_at FROM oauth_accounts`
    for (const account of accounts) {
      if (account.state !== "connected") {
        findings.note("lost", "an account fails whose provider refused nothing", { account })
      }
      if (account.renew_at === null || Number(account.renew_at) < Date.now() - overdueMs) {
        findings.note("lost", "the token of an account is not renewed", { account })
      }
    }
  })
