import type { AccountId } from "@headwater/domain/Id"
import { Accounts } from "@headwater/log/access/Accounts"
import { AuditLog } from "@headwater/log/access/AuditLog"
import { IdempotencyKeys } from "@headwater/log/access/IdempotencyKeys"
import { Figures } from "@headwater/log/commit/Figures"
import { Usage } from "@headwater/log/commit/Usage"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { Components } from "@headwater/log/resources/Components"
import { Consumers } from "@headwater/log/resources/Consumers"
import { DataStores } from "@headwater/log/resources/DataStores"
import { Programs } from "@headwater/log/resources/Programs"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { Cursors } from "@headwater/log/work/Cursors"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { noticedWithin } from "./ground/Suspensions.ts"
import * as ProgramErasure from "./program/ProgramErasure.ts"

/** Removes accounts, beside servers that run. */
export class AccountErasure extends Context.Service<AccountErasure, {
  /**
   * Suspends an account, and once that is noticed removes everything of it in small steps, its row last. Cut off, it
   * goes on where it is asked again; until then the account is suspended. No `deactivate` hook runs.
   */
  readonly erase: (id: AccountId) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/engine/AccountErasure") {
  static readonly layer = Layer.effect(
    AccountErasure,
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const attempts = yield* Attempts
      const audit = yield* AuditLog
      const components = yield* Components
      const consumers = yield* Consumers
      const cursors = yield* Cursors
      const dataStores = yield* DataStores
      const deliveries = yield* Deliveries
      const dueWork = yield* DueWork
      const files = yield* StoredFiles
      const eraseProgram = yield* ProgramErasure.make
      const events = yield* EventLog
      const figures = yield* Figures
      const heads = yield* Heads
      const idempotencyKeys = yield* IdempotencyKeys
      const programs = yield* Programs
      const sql = yield* SqlClient.SqlClient
      const usage = yield* Usage
      const webhooks = yield* Webhooks

      return AccountErasure.of({
        erase: Effect.fnUntraced(function*(accountId) {
          yield* accounts.suspend(accountId)
          yield* Effect.sleep(noticedWithin)
          for (const id of yield* webhooks.idsOfAccount(accountId)) {
            yield* dueWork.removeAll(id)
            yield* deliveries.removeOfWebhook(id)
            yield* attempts.removeOfWebhook(id)
            yield* webhooks.delete(accountId, id)
          }
          for (const id of yield* consumers.idsOfAccount(accountId)) yield* consumers.delete(accountId, id)
          for (const id of yield* programs.idsOfAccount(accountId)) {
            yield* eraseProgram({ accountId, id }, Effect.void)
          }
          // The log of its own.
          yield* heads.remove(accountId)
          yield* cursors.removeOfEmitter(accountId)
          yield* dueWork.removeAll(accountId)
          yield* events.removeAll(accountId)
          yield* components.removeOfAccount(accountId)
          yield* dataStores.removeOfAccount(accountId)
          yield* files.removeOfAccount(accountId)
          yield* usage.removeOfAccount(accountId)
          yield* figures.removeOfAccount(accountId)
          yield* idempotencyKeys.removeOfAccount(accountId)
          yield* audit.removeOfAccount(accountId)
          // A node may have written what it counted since.
          yield* sql.withTransaction(Effect.andThen(accounts.remove(accountId), figures.removeOfAccount(accountId)))
        })
      })
    })
  )
}
