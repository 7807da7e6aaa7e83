/** Keeps the report of an import beside what it has made, and shows it on the server. */
import type { ImportReport } from "@headwater/api/ImportsApi"
import { Effect, FileSystem, Option, Schema } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Endpoints from "./Endpoints.ts"
import type { Standing } from "./Finishing.ts"
import type { Report } from "./MovingReport.ts"

const file = "report.json"

const Finding = Schema.Struct({
  kind: Schema.Literals(["failed", "missing", "different"]),
  file: Schema.String,
  line: Schema.Int,
  message: Schema.String
})

const Content = Schema.Struct({
  workflows: Schema.Array(Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    from: Schema.String,
    ref: Schema.NullOr(Schema.String),
    deployed: Schema.Boolean,
    came: Schema.Struct({ triggers: Schema.Int, steps: Schema.Int, props: Schema.Int, files: Schema.Int }),
    findings: Schema.Array(Finding)
  })),
  findings: Schema.Array(Finding)
})

const none: typeof Content.Type = { workflows: [], findings: [] }

const read = Effect.fnUntraced(function*(folder: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.option(files.readFileString(Path.join(folder, file)))
  if (Option.isNone(text)) return none
  // A file that somebody has changed is no reason to refuse anything.
  return yield* Effect.orElseSucceed(Schema.decodeEffect(Schema.fromJsonString(Content))(text.value), () => none)
})

/**
 * Keeps the report of an import.
 *
 * @param isWhole false if it is about some workflows of the project alone; the others keep what was reported of them
 */
export const keep = Effect.fnUntraced(function*(folder: string, report: Report, isWhole: boolean) {
  const files = yield* FileSystem.FileSystem
  const before = isWhole ? none : yield* read(folder)
  const ids = new Set(report.workflows.map(({ id }) => id))
  const whole: Report = {
    workflows: [...before.workflows.filter(({ id }) => !ids.has(id)), ...report.workflows],
    findings: report.findings
  }
  yield* Effect.mapError(
    files.writeFileString(Path.join(folder, file), `${JSON.stringify(whole, undefined, 2)}\n`),
    ({ message }) => new CommandRefused({ message })
  )
})

const cut = (text: string, length: number) => text.slice(0, length).toWellFormed().replaceAll("\0", "")

const findingsOf = (findings: Report["findings"]): ImportReport["findings"] =>
  findings.map(({ file, kind, line, message }) => ({
    kind,
    file: cut(file, 4_000),
    line,
    message: cut(message, 10_000)
  }))

/** The report as the server keeps it, with how the workflows stand now. */
export const reportOf = (kept: Report, standings: ReadonlyArray<Standing>): ImportReport => {
  const reported = new Map(kept.workflows.map((workflow) => [workflow.id, workflow]))
  const nothing = { triggers: 0, steps: 0, props: 0, files: 0 }
  return {
    findings: findingsOf(kept.findings),
    workflows: [
      ...standings.map((standing) => {
        const { movedFrom, needs, record, resource } = standing
        return {
          moved_from: cut(movedFrom, 1_000),
          name: cut(record.name, 1_000),
          from: cut(record.from, 4_000),
          ref: cut(record.ref, 4_000),
          workflow_id: resource?.id ?? null,
          came: reported.get(movedFrom)?.came ?? nothing,
          findings: findingsOf(reported.get(movedFrom)?.findings ?? []),
          needs: needs.map(({ isRequired, kind, message, name }) => ({
            kind,
            name: cut(name, 1_000),
            message: cut(message, 10_000),
            is_required: isRequired
          })),
          endpoints: Endpoints.of(standing)
        }
      }),
      ...kept.workflows.filter(({ id }) => standings.every(({ movedFrom }) => movedFrom !== id)).map((
        { came, findings, from, id, name }
      ) => ({
        moved_from: cut(id, 1_000),
        name: cut(name, 1_000),
        from: cut(from, 4_000),
        ref: null,
        workflow_id: null,
        came,
        findings: findingsOf(findings),
        needs: [],
        endpoints: []
      }))
    ]
  }
}

/**
 * Has the console show how the workflows of a folder stand, under the folder's name. A failure ends no command.
 *
 * @returns lines that say why it does not, if so
 */
export const show = Effect.fnUntraced(function*(folder: string, standings: ReadonlyArray<Standing>) {
  const { call } = yield* ApiAccess
  const report = reportOf(yield* read(folder), standings)
  const name = cut(Path.basename(Path.resolve(folder)), 100) || "moved"
  return yield* Effect.match(call(({ imports }) => imports.set({ params: { name }, payload: { report } })), {
    onSuccess: (): ReadonlyArray<string> => [],
    onFailure: ({ message }) => [`The console does not show this report: ${message}`]
  })
})
