import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as RealTime from "@headwater/domain/RealTime"
import { Nodes } from "@headwater/log/database/Nodes"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "nodes",
  Effect.fnUntraced(function*(handlers) {
    const nodes = yield* Nodes
    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        const present = yield* nodes.present(yield* RealTime.currentTimeMillis)
        return {
          data: present.map(({ held, id, seenAt, startedAt, version, worker }) => ({
            id,
            worker,
            version,
            started_at_ms: startedAt,
            seen_at_ms: seenAt,
            holds: {
              sources_and_workflows: held.programs,
              webhooks: held.webhooks,
              consumers: held.consumers,
              accounts: held.accounts
            }
          }))
        }
      }, answerFailures)
    })
  })
)
