import { CurrentAccount } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import type { ImportReport as Report, ImportResource, ImportSummary } from "@headwater/api/ImportsApi"
import * as Problem from "@headwater/api/Problem"
import { type ImportReport, longestName, mostBytes } from "@headwater/domain/ImportReport"
import { ImportReports } from "@headwater/log/resources/ImportReports"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

const summaryOf = ({ createdAt, name, updatedAt }: ImportReport): ImportSummary => ({
  name,
  created_at: createdAt,
  updated_at: updatedAt
})

const resourceOf = (stored: ImportReport): ImportResource => ({
  ...summaryOf(stored),
  report: JSON.parse(stored.report) as Report
})

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "imports",
  Effect.fnUntraced(function*(handlers) {
    const reports = yield* ImportReports

    return handlers.handleAll({
      list: Effect.fnUntraced(function*() {
        return { data: (yield* reports.list(yield* CurrentAccount)).map(summaryOf) }
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params: { name } }) {
        const stored = yield* reports.get(yield* CurrentAccount, name)
        if (Option.isNone(stored)) return yield* Problem.notFound("import", name)
        return { data: resourceOf(stored.value) }
      }, answerFailures),
      set: Effect.fnUntraced(function*({ params: { name }, payload: { report } }) {
        if (name.length > longestName) {
          return yield* Problem.invalid([{ path: "name", message: `must have at most ${longestName} characters` }])
        }
        const stored = yield* reports.set(yield* CurrentAccount, name, JSON.stringify(report)).pipe(
          Effect.flatMap(Effect.fromOption),
          Effect.catchTags({
            ImportReportsTooLarge: () => Effect.fail(Problem.tooLarge("The reports of imports together", mostBytes)),
            NoSuchElementError: Effect.die
          })
        )
        return { data: resourceOf(stored) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params: { name } }) {
        if (!(yield* reports.remove(yield* CurrentAccount, name))) return yield* Problem.notFound("import", name)
      }, answerFailures)
    })
  })
)
