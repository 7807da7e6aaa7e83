import { type EventId, format } from "@headwater/domain/EventId"
import { type AccountId, DeploymentId, firstAt, RunId, WorkflowId } from "@headwater/domain/Id"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import { bigints, integers, numbers, texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"

/** The trigger of a run, without the event itself. */
export const RunTrigger = Schema.Struct({
  kind: Schema.Literals(["HTTP", "EMAIL", "TIMER", "EVENT", "INVOCATION"]),
  /** Of the request, tick or event. */
  id: Schema.String,
  /** The time at which it came about, in Unix milliseconds. */
  at: Schema.Finite,
  /** The number of emitters that it has passed through. */
  hops: Schema.Int,
  /** The emitter of the event: the workflow itself if it is nobody else's. */
  emitterId: Schema.String,
  /** The stream that it came from. */
  stream: Schema.String,
  /** The id of that event or request in its log, as clients write it; none for a tick. */
  eventId: Schema.optionalKey(Schema.String),
  /** The run of which this one repeats a part, or all of it with another event. */
  rerunOf: Schema.optionalKey(Schema.String),
  /** The event of that run, which this one's takes the place of. */
  insteadOf: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    emitterId: Schema.String,
    eventId: Schema.optionalKey(Schema.String)
  })),
  /** True of a run in shadow. */
  shadow: Schema.optionalKey(Schema.Boolean),
  /** Set for a request of which nothing is to be kept once the run has ended: the paths of the files that came with it. */
  unstored: Schema.optionalKey(Schema.Array(Schema.String))
})
export type RunTrigger = typeof RunTrigger.Type

/** The error by which a step, and the run with it, failed. */
export const RunFault = Schema.Struct({
  name: Schema.String,
  message: Schema.String,
  stack: Schema.optionalKey(Schema.String)
})
export type RunFault = typeof RunFault.Type

/** `waiting` for a time: a delay, a rerun or another try. `cancelled` by a request, or suspended for too long. */
export const RunStatus = Schema.Literals(["running", "waiting", "success", "error", "cancelled"])
export type RunStatus = typeof RunStatus.Type

/** The reason for which a run waits: it was suspended, delayed, or is to run its step again, as it asked or since it failed. */
export const RunWait = Schema.Literals(["suspend", "delay", "rerun", "retry"])
export type RunWait = typeof RunWait.Type

const progressOfStep = {
  /** The step that comes next, or that the run ended in, counted from 0. */
  step: Schema.Int,
  /** The number of times that the step has been run to its end in this run already. */
  tries: Schema.Int,
  /** The number of these that failed. */
  failures: Schema.Int,
  /** JSON text of what the step asked to be handed when it is run again. */
  rerunContext: Schema.NullOr(Schema.String),
  /** The time at which it goes on, or a suspended one is over, in Unix milliseconds. */
  dueAt: Schema.NullOr(Schema.Int),
  /** Null where it does not wait, and once it waits for nothing but its turn. */
  waitsFor: Schema.NullOr(RunWait)
}

/** The progress of a run. */
export const RunProgress = Schema.Struct({
  id: RunId,
  status: RunStatus,
  ...progressOfStep,
  error: Schema.NullOr(RunFault),
  /** The reason for which a step ended the run, in its own words; empty if it gave none. */
  exitReason: Schema.NullOr(Schema.String),
  /** Unix milliseconds. */
  endedAt: Schema.NullOr(Schema.Int)
})
export type RunProgress = typeof RunProgress.Type

/** One pass of a workflow's code over one event. */
export const WorkflowRun = Schema.Struct({
  ...RunProgress.fields,
  workflowId: WorkflowId,
  deploymentId: DeploymentId,
  trigger: RunTrigger,
  /** JSON text. */
  event: Schema.String,
  /** Unix milliseconds. */
  startedAt: Schema.Int
})
export type WorkflowRun = typeof WorkflowRun.Type

/**
 * One of the paths on which a run is at the same time, of branches that run at once. While there are any, the run's own
 * progress is what they have come to together, at the step of the outermost block.
 */
export const RunPath = Schema.Struct({
  runId: RunId,
  /** The number of the block's step in the run, and the place of the branch among those that run, such as `3-0`. */
  path: Schema.String,
  /** The path that the block is on; null on none. */
  parent: Schema.NullOr(Schema.String),
  /** The step of the block, and the name of the branch. */
  block: Schema.String,
  branch: Schema.String,
  /** The place behind the branch's steps, where the path ends. */
  until: Schema.Int,
  /** The place at which the run, or the path that the block is on, goes on when all branches have ended. */
  joins: Schema.Int,
  /** `forked` while it is in branches itself. */
  status: Schema.Literals(["running", "waiting", "forked"]),
  ...progressOfStep,
  error: Schema.NullOr(RunFault)
})
export type RunPath = typeof RunPath.Type

/** A run as lists show it: without its event, which can be large. */
export type RunOutline = Omit<WorkflowRun, "event">

/** One time that a step of a run was run to its end. */
export interface StepRecord {
  readonly runId: RunId
  /** Counted from 1 within the run. */
  readonly n: number
  /** The path that it was on, where the run was on several at once. */
  readonly path: string | null
  readonly name: string
  readonly status: "success" | "error"
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly wallMs: number
  readonly cpuMs: number
  /** JSON text of the values that its own props had, by name; null if it had none. */
  readonly configuredProps: string | null
  /** JSON text of what the steps after it see; of one that is to be run again, null. */
  readonly result: string | null
  readonly error: RunFault | null
  /** JSON text of the request by which the run went on after this step, where it was not the time that came. */
  readonly resumeData: string | null
  /** The first and last of the events that its end appended to the workflow's log. */
  readonly events: { readonly first: EventId; readonly last: EventId } | null
}

/** A step that is done, without its props, which nothing needs any more. */
export type RecordedStep = Omit<StepRecord, "configuredProps">

/** A step without what it was given and what it gave, which can be large. */
export type StepOutline = Omit<RecordedStep, "result" | "resumeData">

/** The request by which a run that waited after a step went on. */
export type StepResumption = Pick<StepRecord, "runId" | "n"> & { readonly resumeData: string }

const { event: _, ...outlineFields } = WorkflowRun.fields

const outlineRow = {
  ...outlineFields,
  trigger: Schema.fromJsonString(RunTrigger),
  error: Schema.NullOr(Schema.fromJsonString(RunFault)),
  exitReason: Schema.NullOr(Schema.fromJsonString(Schema.String)),
  dueAt: Schema.NullOr(Column.Int8),
  startedAt: Column.Int8,
  endedAt: Schema.NullOr(Column.Int8)
}

const keys = {
  workflowId: "workflow_id",
  deploymentId: "deployment_id",
  rerunContext: "rerun_context",
  dueAt: "due_at",
  waitsFor: "waits_for",
  exitReason: "exit_reason",
  startedAt: "started_at",
  endedAt: "ended_at"
} as const

const RunOutlineRow = Schema.Struct(outlineRow).pipe(Schema.encodeKeys(keys))

const PathRow = Schema.Struct({
  ...RunPath.fields,
  dueAt: Schema.NullOr(Column.Int8),
  error: Schema.NullOr(Schema.fromJsonString(RunFault))
}).pipe(
  Schema.encodeKeys({ runId: "run_id", rerunContext: "rerun_context", dueAt: "due_at", waitsFor: "waits_for" })
)

const RunRow = Schema.Struct({ ...outlineRow, event: Schema.String }).pipe(Schema.encodeKeys(keys))

interface StepOutlineRow {
  readonly run_id: string
  readonly n: number
  readonly path: string | null
  readonly name: string
  readonly status: StepRecord["status"]
  readonly started_at: bigint
  readonly wall_ms: number
  readonly cpu_ms: number
  readonly error: string | null
  readonly first_event: bigint | null
  readonly last_event: bigint | null
}

interface StepRow extends StepOutlineRow {
  readonly result: string | null
  readonly resume_data: string | null
}

/** The result of a step, with the request by which the run went on after it. */
const resultOf = ({ result, resume_data: data }: Pick<StepRow, "result" | "resume_data">): string | null => {
  if (result === null || data === null) return result
  return `${result.slice(0, -1)}${result === "{}" ? "" : ","}"$resume_data":${data}}`
}

const ofStepRow = (row: StepRow): RecordedStep => ({
  ...ofStepOutlineRow(row),
  result: resultOf(row),
  resumeData: row.resume_data
})

const ofStepOutlineRow = (row: StepOutlineRow): StepOutline => ({
  runId: RunId.make(row.run_id),
  n: row.n,
  path: row.path,
  name: row.name,
  status: row.status,
  startedAt: Number(row.started_at),
  wallMs: row.wall_ms,
  cpuMs: row.cpu_ms,
  error: row.error === null ? null : JSON.parse(row.error),
  events: row.first_event === null || row.last_event === null
    ? null
    : { first: row.first_event as EventId, last: row.last_event as EventId }
})

const json = (value: RunFault | string | null): string | null => value === null ? null : JSON.stringify(value)

/** Runs looked through for those of an event, and how many of these are read. */
const mostLooked = 2_000

/** The runs that one page of a bulk action looks through; fewer where it reads all of their events for a text. */
const mostFollowed = 5_000
const mostRead = 250
const mostOfEvent = 10

/** Rows deleted at once. */
const bite = 500

const outlines = Rows.make(Schema.decodeUnknownEffect(RunOutlineRow))
const paths = Rows.make(Schema.decodeUnknownEffect(PathRow))

const runColumns = (sql: SqlClient.SqlClient) =>
  sql`
  id, workflow_id, deployment_id, trigger, started_at, status, step, tries, failures, rerun_context, due_at, waits_for,
  error, exit_reason, ended_at`

const writing = (sql: SqlClient.SqlClient) => ({
  insert: (runs: ReadonlyArray<WorkflowRun>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
  INSERT INTO workflow_runs (
    id, workflow_id, deployment_id, trigger, event, started_at, status, step, tries, failures, rerun_context,
    due_at, waits_for, error, exit_reason, ended_at
  )
  SELECT * FROM unnest(
    ${texts(runs.map((run) => run.id))},
    ${texts(runs.map((run) => run.workflowId))},
    ${texts(runs.map((run) => run.deploymentId))},
    ${texts(runs.map((run) => JSON.stringify(run.trigger)))},
    ${texts(runs.map((run) => run.event))},
    ${numbers(runs.map((run) => run.startedAt))},
    ${texts(runs.map((run) => run.status))},
    ${integers(runs.map((run) => run.step))},
    ${integers(runs.map((run) => run.tries))},
    ${integers(runs.map((run) => run.failures))},
    ${texts(runs.map((run) => run.rerunContext))},
    ${numbers(runs.map((run) => run.dueAt))},
    ${texts(runs.map((run) => run.waitsFor))},
    ${texts(runs.map((run) => json(run.error)))},
    ${texts(runs.map((run) => json(run.exitReason)))},
    ${numbers(runs.map((run) => run.endedAt))}
  )`),
  change: (changes: ReadonlyArray<RunProgress>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
  UPDATE workflow_runs r SET status = c.status, step = c.step, tries = c.tries,
    failures = c.failures, rerun_context = c.rerun_context, due_at = c.due_at, waits_for = c.waits_for,
    error = c.error, exit_reason = c.exit_reason, ended_at = c.ended_at
  FROM unnest(
    ${texts(changes.map((run) => run.id))},
    ${texts(changes.map((run) => run.status))},
    ${integers(changes.map((run) => run.step))},
    ${integers(changes.map((run) => run.tries))},
    ${integers(changes.map((run) => run.failures))},
    ${texts(changes.map((run) => run.rerunContext))},
    ${numbers(changes.map((run) => run.dueAt))},
    ${texts(changes.map((run) => run.waitsFor))},
    ${texts(changes.map((run) => json(run.error)))},
    ${texts(changes.map((run) => json(run.exitReason)))},
    ${numbers(changes.map((run) => run.endedAt))}
  ) AS c (id, status, step, tries, failures, rerun_context, due_at, waits_for, error, exit_reason, ended_at)
  WHERE r.id = c.id`),
  recordSteps: (steps: ReadonlyArray<StepRecord>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
  INSERT INTO workflow_steps (
    run_id, n, path, name, status, started_at, wall_ms, cpu_ms, configured_props, result, error, resume_data,
    first_event, last_event
  )
  SELECT * FROM unnest(
    ${texts(steps.map((step) => step.runId))},
    ${integers(steps.map((step) => step.n))},
    ${texts(steps.map((step) => step.path))},
    ${texts(steps.map((step) => step.name))},
    ${texts(steps.map((step) => step.status))},
    ${numbers(steps.map((step) => step.startedAt))},
    ${integers(steps.map((step) => step.wallMs))},
    ${integers(steps.map((step) => step.cpuMs))},
    ${texts(steps.map((step) => step.configuredProps))},
    ${texts(steps.map((step) => step.result))},
    ${texts(steps.map((step) => json(step.error)))},
    ${texts(steps.map((step) => step.resumeData))},
    ${bigints(steps.map((step) => step.events?.first ?? null))},
    ${bigints(steps.map((step) => step.events?.last ?? null))}
  )`),
  resumeSteps: (resumptions: ReadonlyArray<StepResumption>): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
  UPDATE workflow_steps s SET resume_data = c.resume_data
  FROM unnest(
    ${texts(resumptions.map(({ runId }) => runId))},
    ${integers(resumptions.map(({ n }) => n))},
    ${texts(resumptions.map(({ resumeData }) => resumeData))}
  ) AS c (run_id, n, resume_data)
  WHERE s.run_id = c.run_id AND s.n = c.n`),
  /** Leaves nothing of what a run was given and gave. */
  erase: (id: RunId): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
  WITH steps AS (
    UPDATE workflow_steps SET configured_props = NULL, result = NULL, resume_data = NULL WHERE run_id = ${id}
  )
  UPDATE workflow_runs SET event = 'null', rerun_context = NULL WHERE id = ${id}`),
  /** The parts of a commit that change the paths of a run. */
  writePaths: (
    runId: RunId,
    { put, removed }: { readonly put: ReadonlyArray<RunPath>; readonly removed: ReadonlyArray<string> }
  ): ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>> => [
    ...(removed.length === 0
      ? []
      : [sql`DELETE FROM workflow_run_paths WHERE run_id = ${runId} AND path = ANY (${texts(removed)})`]),
    ...(put.length === 0 ? [] : [sql`
  INSERT INTO workflow_run_paths (
    run_id, path, parent, block, branch, until, joins, status, step, tries, failures, rerun_context, due_at, waits_for, error
  )
  SELECT ${runId}, * FROM unnest(
    ${texts(put.map(({ path }) => path))},
    ${texts(put.map(({ parent }) => parent))},
    ${texts(put.map(({ block }) => block))},
    ${texts(put.map(({ branch }) => branch))},
    ${integers(put.map(({ until }) => until))},
    ${integers(put.map(({ joins }) => joins))},
    ${texts(put.map(({ status }) => status))},
    ${integers(put.map(({ step }) => step))},
    ${integers(put.map(({ tries }) => tries))},
    ${integers(put.map(({ failures }) => failures))},
    ${texts(put.map(({ rerunContext }) => rerunContext))},
    ${numbers(put.map(({ dueAt }) => dueAt))},
    ${texts(put.map(({ waitsFor }) => waitsFor))},
    ${texts(put.map(({ error }) => json(error)))}
  )
  ON CONFLICT (run_id, path) DO UPDATE SET status = excluded.status, step = excluded.step, tries = excluded.tries,
    failures = excluded.failures, rerun_context = excluded.rerun_context, due_at = excluded.due_at,
    waits_for = excluded.waits_for, error = excluded.error`])
  ]
})

/** Single runs, and their steps. */
const reading = (sql: SqlClient.SqlClient) => {
  const { one } = Rows.make(Schema.decodeUnknownEffect(RunRow))

  return {
    get: (workflowId: WorkflowId, id: RunId): Effect.Effect<Option.Option<WorkflowRun>, SqlError.SqlError> =>
      one(sql`SELECT * FROM workflow_runs WHERE id = ${id} AND workflow_id = ${workflowId}`),
    outline: (workflowId: WorkflowId, id: RunId): Effect.Effect<Option.Option<RunOutline>, SqlError.SqlError> =>
      outlines.one(sql`SELECT ${runColumns(sql)} FROM workflow_runs WHERE id = ${id} AND workflow_id = ${workflowId}`),
    /** The workflow that a run is of, and its account; none where there is no such run any more. */
    ownerOf: (
      id: RunId
    ): Effect.Effect<
      Option.Option<{ readonly workflowId: WorkflowId; readonly accountId: AccountId }>,
      SqlError.SqlError
    > =>
      Effect.map(
        sql<{ readonly workflow_id: WorkflowId; readonly account_id: AccountId }>`
          SELECT r.workflow_id, p.account_id FROM workflow_runs r JOIN programs p ON p.id = r.workflow_id
          WHERE r.id = ${id}`,
        ([row]) =>
          Option.map(Option.fromUndefinedOr(row), (row) => ({ workflowId: row.workflow_id, accountId: row.account_id }))
      ),
    /** The paths on which a run is, each after the one that its block is on; none while it is on one alone. */
    pathsOf: (id: RunId): Effect.Effect<ReadonlyArray<RunPath>, SqlError.SqlError> =>
      paths.all(sql`
        SELECT * FROM workflow_run_paths WHERE run_id = ${id}
        ORDER BY split_part(path, '-', 1)::int, split_part(path, '-', 2)::int`),
    /** JSON text of the event that a run began with; none where there is no such run any more. */
    eventOf: (id: RunId): Effect.Effect<Option.Option<string>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly event: string }>`SELECT event FROM workflow_runs WHERE id = ${id}`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), ({ event }) => event)
      ),
    /** In the order in which they ended. */
    stepOutlinesOf: (id: RunId): Effect.Effect<ReadonlyArray<StepOutline>, SqlError.SqlError> =>
      Effect.map(
        sql<StepOutlineRow>`
          SELECT run_id, n, path, name, status, started_at, wall_ms, cpu_ms, error, first_event, last_event
          FROM workflow_steps WHERE run_id = ${id} ORDER BY n`,
        (rows) => rows.map(ofStepOutlineRow)
      ),
    /** The props and the result of a step, as in its record. */
    contentOf: (
      { n, runId }: Pick<StepRecord, "runId" | "n">
    ): Effect.Effect<Pick<StepRecord, "configuredProps" | "result">, SqlError.SqlError> =>
      Effect.map(
        sql<Pick<StepRow, "result" | "resume_data"> & { readonly configured_props: string | null }>`
          SELECT configured_props, result, resume_data FROM workflow_steps WHERE run_id = ${runId} AND n = ${n}`,
        ([row]) => ({
          configuredProps: row?.configured_props ?? null,
          result: row === undefined ? null : resultOf(row)
        })
      ),
    /** The largest of a run's event and of what its steps were given and gave, in bytes. */
    largestOf: (id: RunId): Effect.Effect<number, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly bytes: number }>`
          SELECT greatest(
            (SELECT octet_length(event) FROM workflow_runs WHERE id = ${id}),
            (
              SELECT max(
                coalesce(octet_length(configured_props), 0) + coalesce(octet_length(result), 0) +
                coalesce(octet_length(resume_data), 0)
              ) FROM workflow_steps WHERE run_id = ${id}
            ), 0) AS bytes`,
        ([row]) => row?.bytes ?? 0
      ),
    /** In the order in which they ended. */
    stepsOf: (id: RunId): Effect.Effect<ReadonlyArray<RecordedStep>, SqlError.SqlError> =>
      Effect.map(
        sql<StepRow>`
          SELECT run_id, n, path, name, status, started_at, wall_ms, cpu_ms, result, error, resume_data, first_event,
            last_event
          FROM workflow_steps WHERE run_id = ${id} ORDER BY n`,
        (rows) => rows.map(ofStepRow)
      )
  }
}

/** Runs of a workflow, and those that others began. */
const lists = (sql: SqlClient.SqlClient) => ({
  /** Those under way, oldest first: each waits for nothing. */
  underWay: (workflowId: WorkflowId): Effect.Effect<ReadonlyArray<RunId>, SqlError.SqlError> =>
    Effect.map(
      sql<{ readonly id: RunId }>`
        SELECT id FROM workflow_runs WHERE workflow_id = ${workflowId} AND status = 'running' ORDER BY id`,
      (rows) => rows.map(({ id }) => id)
    ),
  /** The workflows of all accounts that have any under way. */
  workflowsUnderWay: Effect.map(
    sql<{ readonly workflow_id: WorkflowId }>`
      SELECT DISTINCT workflow_id FROM workflow_runs WHERE status = 'running'`,
    (rows) => rows.map((row) => row.workflow_id)
  ),
  page: (
    workflowId: WorkflowId,
    { status, waitsFor, ...request }: Page.PageRequest & {
      readonly status: RunStatus | undefined
      readonly waitsFor?: RunWait | undefined
    }
  ): Effect.Effect<Page.Page<RunOutline>, SqlError.SqlError> =>
    Page.read(sql, {
      table: "workflow_runs",
      columns: runColumns(sql),
      weight: sql`octet_length(coalesce(error, '')) + octet_length(coalesce(rerun_context, ''))`,
      where: sql.and([
        sql`workflow_id = ${workflowId}`,
        ...(status === undefined ? [] : [sql`status = ${status}`]),
        ...(waitsFor === undefined ? [] : [sql`waits_for = ${waitsFor}`])
      ]),
      request,
      all: outlines.all
    }),
  /**
   * The runs of some states that have an id behind one and before another, the oldest first, with the event where its text
   * is sought in it. Looks through 5,000 of them, or 250 for a text.
   */
  following: Effect.fnUntraced(function*(
    workflowId: WorkflowId,
    { after, limit, statuses, text, until }: {
      readonly after: string
      readonly until: string
      readonly statuses: ReadonlyArray<RunStatus>
      readonly text: string | undefined
      readonly limit: number
    }
  ) {
    // Read first: of those up to there some may be removed meanwhile, and none is passed that was not looked at.
    const [last] = yield* sql<{ readonly id: RunId }>`
      SELECT id FROM workflow_runs WHERE workflow_id = ${workflowId} AND id > ${after} AND id < ${until}
      ORDER BY id OFFSET ${(text === undefined ? mostFollowed : mostRead) - 1} LIMIT 1`
    const upTo = last === undefined ? sql`id < ${until}` : sql`id <= ${last.id}`
    const found = yield* outlines.all(sql`
      SELECT ${runColumns(sql)} FROM workflow_runs WHERE workflow_id = ${workflowId} AND id > ${after} AND ${upTo}
        AND status = ANY (${texts(statuses)}) ${text === undefined ? sql`` : sql`AND strpos(event, ${text}) > 0`}
      ORDER BY id LIMIT ${limit + 1}`)
    if (found.length > limit) return { runs: found.slice(0, limit), goesOnAt: found[limit - 1]?.id }
    return { runs: found, goesOnAt: last?.id }
  }),
  /**
   * The runs that an event began, or a batch that begins with it, the oldest first. Of the runs that began after a
   * time, in Unix milliseconds, it looks through the first 2,000.
   */
  begunBy: (
    workflowId: WorkflowId,
    { emitId, emitterId, id }: { readonly emitterId: string; readonly id: EventId; readonly emitId: string },
    after: number
  ): Effect.Effect<ReadonlyArray<RunOutline>, SqlError.SqlError> =>
    outlines.all(sql`
  SELECT * FROM (
    SELECT ${runColumns(sql)} FROM workflow_runs
    WHERE workflow_id = ${workflowId} AND id >= ${firstAt("run", after)} ORDER BY id LIMIT ${mostLooked}
  ) AS begun
  WHERE ${emitId} = trigger::json ->> 'id' AND ${emitterId} = trigger::json ->> 'emitterId'
    OR ${emitId} = trigger::json -> 'insteadOf' ->> 'id' AND ${emitterId} = trigger::json -> 'insteadOf' ->> 'emitterId'
    OR ${format(id)} = trigger::json ->> 'eventId' AND ${emitterId} = trigger::json ->> 'emitterId'
  LIMIT ${mostOfEvent}`),
  /** The beginnings of the runs that began after a time, oldest first, in Unix milliseconds. */
  begunAfter: (workflowId: WorkflowId, time: number): Effect.Effect<ReadonlyArray<number>, SqlError.SqlError> =>
    Effect.map(
      sql<{ readonly started_at: bigint }>`
        SELECT started_at FROM workflow_runs
        WHERE workflow_id = ${workflowId} AND started_at > ${time} AND (ended_at > ${time} OR ended_at IS NULL)
        ORDER BY started_at`,
      (rows) => rows.map((row) => Number(row.started_at))
    )
})

const removals = (sql: SqlClient.SqlClient) => {
  const removeIds = (ids: ReadonlyArray<string>) =>
    sql`
      WITH gone AS (DELETE FROM workflow_steps WHERE run_id = ANY (${texts(ids)})),
        paths AS (DELETE FROM workflow_run_paths WHERE run_id = ANY (${texts(ids)})),
        files AS (DELETE FROM workflow_files WHERE run_id = ANY (${texts(ids)})),
        parts AS (DELETE FROM workflow_file_parts WHERE run_id = ANY (${texts(ids)}))
      DELETE FROM workflow_runs WHERE id = ANY (${texts(ids)})`

  /** Removes what a query finds, in bites. */
  const removeFound = (
    find: Effect.Effect<ReadonlyArray<{ readonly id: string }>, SqlError.SqlError>
  ): Effect.Effect<void, SqlError.SqlError> =>
    find.pipe(
      Effect.tap((found) => removeIds(found.map(({ id }) => id))),
      Effect.repeat({ until: (found) => found.length < bite }),
      Effect.asVoid
    )

  return {
    /** Removes runs that ended longer ago than their account keeps events. */
    expire: ({ defaultDays, now }: {
      readonly now: number
      readonly defaultDays: number
    }): Effect.Effect<void, SqlError.SqlError> =>
      removeFound(sql<{ readonly id: string }>`
    SELECT r.id FROM programs p JOIN accounts a ON a.id = p.account_id
    CROSS JOIN LATERAL (
      SELECT id FROM workflow_runs
      WHERE workflow_id = p.id
        AND ended_at < ${now} - coalesce(a.retention_days, ${defaultDays}::int) * 86400000::bigint
      ORDER BY ended_at LIMIT ${bite}
    ) r
    WHERE p.workflow IS NOT NULL LIMIT ${bite}`),
    removeAll: (workflowId: WorkflowId): Effect.Effect<void, SqlError.SqlError> =>
      removeFound(sql<{ readonly id: string }>`
  SELECT id FROM workflow_runs WHERE workflow_id = ${workflowId} LIMIT ${bite}`)
  }
}

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...writing(sql),
  ...reading(sql),
  ...lists(sql),
  ...removals(sql)
}))

/** The `workflow_runs`, `workflow_run_paths` and `workflow_steps` tables: what workflows did, and where those stand that are not done. */
export class WorkflowRuns
  extends Context.Service<WorkflowRuns, Effect.Success<typeof make>>()("@headwater/log/work/WorkflowRuns")
{
  static readonly layer: Layer.Layer<WorkflowRuns, never, SqlClient.SqlClient> = Layer.effect(WorkflowRuns, make)
}
