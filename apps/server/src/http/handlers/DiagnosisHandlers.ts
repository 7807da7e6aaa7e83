import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Diagnosis } from "../../Diagnosis.ts"

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "diagnosis",
  Effect.fnUntraced(function*(handlers) {
    const diagnosis = yield* Diagnosis
    return handlers.handleAll({
      get: () =>
        Effect.map(diagnosis.examine, ({ deno, findings, nowMs, postgres }) => ({
          data: {
            now_ms: nowMs,
            versions: { server: diagnosis.version, node: process.versions.node, deno, postgres },
            findings
          }
        }))
    })
  })
)
