import type { AuditResource } from "@headwater/api/AuditApi"
import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Id from "@headwater/domain/Id"
import { AuditLog, type ListedEntry } from "@headwater/log/access/AuditLog"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

const resourceOf = (entry: ListedEntry): AuditResource => ({
  id: entry.id,
  at: Math.floor(Id.timeOf(entry.id) / 1_000),
  operation: entry.operation,
  method: entry.method,
  path: entry.path,
  resource_id: entry.resourceId,
  status: entry.status,
  key: { id: entry.keyId, name: entry.keyName },
  session_id: entry.sessionId,
  client_ip: entry.clientIp
})

const inMillis = (seconds: number | undefined) => seconds === undefined ? undefined : seconds * 1_000

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "audit",
  Effect.fnUntraced(function*(handlers) {
    const audit = yield* AuditLog
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        const { from, key, operation, session, to } = query
        const filter = { keyId: key, sessionId: session, operation, from: inMillis(from), to: inMillis(to) }
        const { goesOnAt, items } = yield* audit.page(yield* CurrentAccount, filter, Pagination.pageRequest(query))
        return Pagination.openPage(items.map(resourceOf), query, goesOnAt)
      }, answerFailures)
    })
  })
)
