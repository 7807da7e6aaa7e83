import * as Id from "@headwater/domain/Id"
import { Program, type ProgramPhase, type ProgramState } from "@headwater/domain/Program"
import { Seal } from "@headwater/domain/Seal"
import { Workflow } from "@headwater/domain/Workflow"
import { Clock, Context, Effect, Layer, type Option, Redacted, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import { isLocked, retrySchedule } from "../database/TransientSqlError.ts"
import * as Rows from "../internal/Rows.ts"
import { byPlace, shared } from "../internal/SharedStatement.ts"
import { texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"

const PropsText = Schema.fromJsonString(Program.fields.props)

const { props: _, ...plainFields } = Program.fields

const Row = Schema.Struct({
  ...plainFields,
  /** Of a program that was last written before props were sealed. */
  props: Schema.NullOr(PropsText),
  sealedProps: Schema.NullOr(Schema.Uint8Array),
  timers: Schema.fromJsonString(Program.fields.timers),
  additionalProps: Schema.fromJsonString(Program.fields.additionalProps),
  workflow: Schema.NullOr(Schema.fromJsonString(Workflow)),
  emitFrom: Schema.NullOr(Column.Int8),
  createdAt: Column.Int8,
  updatedAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  componentId: "component_id",
  nameSlug: "name_slug",
  additionalProps: "additional_props",
  endpointKey: "endpoint_key",
  sealedProps: "sealed_props",
  projectId: "project_id",
  emitFrom: "emit_from",
  createdAt: "created_at",
  updatedAt: "updated_at"
}))

/** Another program of the account took the slug first. */
export class SlugTaken extends Schema.TaggedError<SlugTaken>()("SlugTaken", {
  slug: Schema.String
}) {}

/** A source in the contract's sense, or a workflow. */
export type ProgramKind = "source" | "workflow"

/** The number of slugs that one query for a free one looks at. */
const slugsLookedAt = 64

/** The number of programs whose props are read at once to be sealed. */
const bite = 100

const rowsWith = (seal: Seal["Service"]) =>
  Rows.make(Effect.fnUntraced(function*(row: unknown) {
    const { props, sealedProps, ...program } = yield* Schema.decodeUnknownEffect(Row)(row)
    if (sealedProps === null) return { ...program, props: props ?? {} } satisfies Program as Program
    const text = Redacted.value(yield* seal.open(placeOf(program.id), sealedProps))
    return { ...program, props: yield* Schema.decodeEffect(PropsText)(text) } satisfies Program as Program
  }))

const reading = ({ sql, seal }: { readonly sql: SqlClient.SqlClient; readonly seal: Seal["Service"] }) => {
  const { all, one } = rowsWith(seal)
  const rowsOf = shared((ids: ReadonlyArray<Id.ProgramId>) =>
    Effect.map(
      sql<{ readonly place: bigint }>`
        SELECT p.*, i.place FROM unnest(${texts(ids)}) WITH ORDINALITY AS i (id, place) JOIN programs p USING (id)`,
      (rows) => byPlace(rows, ids.length)
    )
  )

  const ofKind = (kind: ProgramKind) => kind === "source" ? sql`workflow IS NULL` : sql`workflow IS NOT NULL`

  const named = (accountId: Id.AccountId, idOrSlug: string, kind?: ProgramKind) =>
    sql`
          SELECT * FROM programs WHERE ${
      sql.and([
        sql`account_id = ${accountId}`,
        sql`state = 'ready'`,
        Schema.is(Id.ProgramId)(idOrSlug) ? sql`id = ${idOrSlug}` : sql`name_slug = ${idOrSlug}`,
        ...(kind === undefined ? [] : [ofKind(kind)])
      ])
    }`

  return {
    /** A ready program by its id or its slug; of one kind where that is given. */
    get: (
      accountId: Id.AccountId,
      idOrSlug: string,
      kind?: ProgramKind
    ): Effect.Effect<Option.Option<Program>, SqlError.SqlError> => one(named(accountId, idOrSlug, kind)),
    /** The ids of an account's ready programs of one kind by those of some names, ids or slugs, that are theirs. */
    idsByName: (
      accountId: Id.AccountId,
      kind: ProgramKind,
      names: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, Id.ProgramId>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly name: string; readonly id: Id.ProgramId }>`
          SELECT n.name, p.id FROM unnest(${texts(names)}) AS n (name)
          JOIN programs p ON p.account_id = ${accountId} AND (p.id = n.name OR p.name_slug = n.name)
          WHERE p.state = 'ready' AND ${ofKind(kind)}`,
        (rows) => new Map(rows.map(({ id, name }) => [name, id]))
      ),
    /** As `get`, and it stays as it is until the surrounding transaction ends. */
    hold: (accountId: Id.AccountId, idOrSlug: string): Effect.Effect<Option.Option<Program>, SqlError.SqlError> =>
      one(sql`${named(accountId, idOrSlug)} FOR SHARE`),
    /** In any account and state, for the engine. */
    getById: (id: Id.ProgramId): Effect.Effect<Option.Option<Program>, SqlError.SqlError> => one(rowsOf(id)),
    /** The names of programs and their `active` flags, by their ids. */
    names: (
      ids: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, { readonly name: string; readonly active: boolean }>, SqlError.SqlError> =>
      Effect.map(
        sql<{ id: string; name: string; active: boolean }>`
          SELECT id, name, active FROM programs WHERE id = ANY (${texts(ids)})`,
        (rows) => new Map(rows.map(({ active, id, name }) => [id, { name, active }]))
      ),
    /** The numbers of an account's ready programs of each kind, and of the active ones among them. */
    countsOf: (accountId: Id.AccountId): Effect.Effect<
      Readonly<Record<ProgramKind, { readonly total: number; readonly active: number }>>,
      SqlError.SqlError
    > =>
      Effect.map(
        sql<{ is_workflow: boolean; total: bigint; active: bigint }>`
          SELECT workflow IS NOT NULL AS is_workflow, count(*) AS total, count(*) FILTER (WHERE active) AS active
          FROM programs WHERE account_id = ${accountId} AND state = 'ready' GROUP BY 1`,
        (rows) => {
          const of = (isWorkflow: boolean) => {
            const row = rows.find(({ is_workflow }) => is_workflow === isWorkflow)
            return { total: Number(row?.total ?? 0), active: Number(row?.active ?? 0) }
          }
          return { source: of(false), workflow: of(true) }
        }
      ),
    /** All of an account, in any state. */
    idsOfAccount: (accountId: Id.AccountId): Effect.Effect<ReadonlyArray<Id.ProgramId>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly id: Id.ProgramId }>`SELECT id FROM programs WHERE account_id = ${accountId} ORDER BY id`,
        (rows) => rows.map(({ id }) => id)
      ),
    /** The programs that a component is the code of, in any state; at most `limit` of them. */
    idsOfComponent: (
      componentId: Id.ComponentId,
      limit: number
    ): Effect.Effect<ReadonlyArray<Id.ProgramId>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly id: Id.ProgramId }>`
          SELECT id FROM programs WHERE component_id = ${componentId} ORDER BY id LIMIT ${limit}`,
        (rows) => rows.map(({ id }) => id)
      ),
    /** In any state: an endpoint answers from before `deploy` until its program is gone. */
    byEndpointKey: (endpointKey: string): Effect.Effect<Option.Option<Program>, SqlError.SqlError> =>
      one(sql`SELECT * FROM programs WHERE endpoint_key = ${endpointKey}`),
    /** By the local part of an e-mail address: its endpoint key in whichever case. */
    byMailbox: (localPart: string): Effect.Effect<Option.Option<Program>, SqlError.SqlError> =>
      one(sql`SELECT * FROM programs WHERE lower(endpoint_key) = ${localPart.toLowerCase()} LIMIT 1`),
    /** The account's ready programs of one kind. */
    page: (
      accountId: Id.AccountId,
      kind: ProgramKind,
      request: Page.PageRequest,
      { active, componentId, deploymentId, failing, projectId = null, state, text }: ProgramFilter = {}
    ): Effect.Effect<Page.Page<Program>, SqlError.SqlError> =>
      Page.read(sql, {
        table: "programs",
        where: sql.and([
          sql`account_id = ${accountId}`,
          sql`state = 'ready'`,
          ofKind(kind),
          ...(projectId === null ? [] : [sql`project_id = ${projectId}`]),
          ...(componentId === undefined ? [] : [sql`component_id = ${componentId}`]),
          ...(deploymentId === undefined
            ? []
            : [sql`id IN (SELECT workflow_id FROM deployments WHERE id = ${deploymentId})`]),
          ...(text === undefined ? [] : [Page.contains(sql, ["name", "name_slug"], text)]),
          ...(active === undefined ? [] : [sql`active = ${active}`]),
          ...(state === undefined ? [] : [sql`active = ${state !== "paused"}`]),
          ...(state === "active" ? [sql`NOT id = ANY (${texts([...failing ?? []])})`] : []),
          ...(state === "failing" ? [sql`id = ANY (${texts([...failing ?? []])})`] : [])
        ]),
        weight: sql`
          coalesce(octet_length(sealed_props), 0) + coalesce(octet_length(props), 0) + octet_length(additional_props)`,
        request,
        all
      }),
    /**
     * Programs that are to go, and those whose creation began before a time, in Unix seconds, and has not ended. Of all
     * accounts.
     */
    unready: (createdBefore: number): Effect.Effect<ReadonlyArray<Program>, SqlError.SqlError> =>
      all(sql`
  SELECT * FROM programs
  WHERE state = 'deleting' OR (state = 'creating' AND created_at < ${createdBefore}) ORDER BY id`)
  }
}

const slugs = (sql: SqlClient.SqlClient) => ({
  /**
   * The slug itself, or with a numeric suffix that no program of the account has: the first from 2 up to 64, beyond that
   * one that is found without looking at all. The next one to ask for the same slug waits until the surrounding
   * transaction ends.
   */
  freeSlug: Effect.fnUntraced(function*(accountId: Id.AccountId, slug: string) {
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${accountId} ${slug}`}, 0))`
    const withSuffix = (suffix: number) => suffix === 1 ? slug : `${slug}-${suffix}`
    let before = 0
    let step = 1
    while (true) {
      const suffixes = Array.from({ length: slugsLookedAt }, (_, i) => before + step * (i + 1))
      const rows = yield* sql<{ readonly name_slug: string }>`
          SELECT name_slug FROM programs
          WHERE account_id = ${accountId} AND name_slug = ANY (${texts(suffixes.map(withSuffix))})`
      const taken = new Set(rows.map((row) => row.name_slug))
      const free = suffixes.find((suffix) => !taken.has(withSuffix(suffix)))
      if (free === undefined) {
        before = suffixes.at(-1)!
        step *= slugsLookedAt
      } else if (step === 1) {
        return withSuffix(free)
      } else {
        before = free - step
        step /= slugsLookedAt
      }
    }
  })
})

const changes = ({ sql, seal }: { readonly sql: SqlClient.SqlClient; readonly seal: Seal["Service"] }) => {
  const { one } = rowsWith(seal)
  const sealed = (id: string, props: string) => seal.seal(placeOf(id), Redacted.make(props))

  const encode = Effect.fnUntraced(function*(program: Program) {
    const sealedProps = yield* sealed(program.id, yield* Schema.encodeEffect(PropsText)(program.props))
    return yield* Schema.encodeEffect(Row)({ ...program, props: null, sealedProps })
  }, Effect.orDie)

  const refuseTakenSlug = (slug: string) => <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
    effect.pipe(
      Effect.catchIf(
        (error) =>
          error.reason._tag === "UniqueViolation" &&
          error.reason.constraint === "programs_account_id_name_slug_key",
        () => Effect.fail(new SlugTaken({ slug }))
      )
    )

  const sealPropsOf = Effect.fnUntraced(function*({ id, props }: { readonly id: string; readonly props: string }) {
    yield* sql`
      UPDATE programs SET props = NULL, sealed_props = ${yield* sealed(id, props)}
      WHERE id = ${id} AND props = ${props}`
  }, Effect.retry({ schedule: retrySchedule, while: isLocked }))

  return {
    insert: (program: Program): Effect.Effect<void, SqlError.SqlError | SlugTaken> =>
      encode(program).pipe(
        Effect.flatMap((row) => sql`INSERT INTO programs ${sql.insert(row)}`),
        Effect.asVoid,
        refuseTakenSlug(program.nameSlug)
      ),
    /** Writes every field that may change, with the clock's time as `updated_at`. */
    update: Effect.fnUntraced(function*(program: Program) {
      const updatedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const row = yield* encode({ ...program, updatedAt })
      return yield* one(sql`
            UPDATE programs SET ${
        sql.update(row, ["id", "account_id", "created_at"])
      } WHERE id = ${program.id} RETURNING *`).pipe(refuseTakenSlug(program.nameSlug))
    }),
    /** Answers whether there was such a program. */
    setState: (id: Id.ProgramId, state: ProgramPhase): Effect.Effect<boolean, SqlError.SqlError> =>
      Effect.map(
        sql`UPDATE programs SET state = ${state} WHERE id = ${id} RETURNING id`,
        (rows) => rows.length > 0
      ),
    delete: (id: Id.ProgramId): Effect.Effect<boolean, SqlError.SqlError> =>
      Effect.map(sql`DELETE FROM programs WHERE id = ${id} RETURNING id`, (rows) => rows.length > 0),
    /**
     * Seals the props of programs that were last written before props were. May run beside changes, and on several nodes.
     */
    sealProps: Effect.gen(function*() {
      let after = ""
      while (true) {
        const rows = yield* sql<{ readonly id: string; readonly props: string }>`
          SELECT id, props FROM programs WHERE props IS NOT NULL AND id > ${after} ORDER BY id LIMIT ${bite}`
        const last = rows.at(-1)
        if (last === undefined) return
        // One by one: whoever waits for one of them does not wait for all.
        yield* Effect.forEach(rows, sealPropsOf, { concurrency: 4, discard: true })
        after = last.id
      }
    })
  }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const seal = yield* Seal

  return {
    ...slugs(sql),
    ...reading({ sql, seal }),
    ...changes({ sql, seal })
  }
})

/** The programs that a list has. */
export interface ProgramFilter {
  readonly projectId?: Id.ProjectId | null | undefined
  readonly componentId?: string | undefined
  readonly deploymentId?: string | undefined
  /** A part of the name or the slug, in any case, or the id. */
  readonly text?: string | undefined
  readonly active?: boolean | undefined
  readonly state?: ProgramState | undefined
  /** Those of which most runs fail, where a state is given. */
  readonly failing?: ReadonlySet<string>
}

/** Programs of all accounts. Clients see the `ready` ones. Their props, some of which are secret, are sealed. */
export class Programs
  extends Context.Service<Programs, Effect.Success<typeof make>>()("@headwater/log/resources/Programs")
{
  static readonly layer: Layer.Layer<Programs, never, SqlClient.SqlClient | Seal> = Layer.effect(Programs, make)
}

/** Sealed with the props, so it stays what the table was called when the first were. */
const placeOf = (id: string): string => `sources/${id}`
