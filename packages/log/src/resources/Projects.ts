import * as Id from "@headwater/domain/Id"
import { slugOf } from "@headwater/domain/Program"
import { mostProjects, Project } from "@headwater/domain/Project"
import type { Seal } from "@headwater/domain/Seal"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"
import * as Page from "../lists/Page.ts"
import { EnvironmentVariables } from "./EnvironmentVariables.ts"

/** Another project of the account has the name. */
export class ProjectNameTaken extends Schema.TaggedError<ProjectNameTaken>()("ProjectNameTaken", {}) {}

/** The account has as many projects as it may have. */
export class ProjectsFull extends Schema.TaggedError<ProjectsFull>()("ProjectsFull", {}) {}

/** Programs belong to the project. */
export class ProjectInUse extends Schema.TaggedError<ProjectInUse>()("ProjectInUse", {}) {}

const Row = Schema.Struct({ ...Project.fields, createdAt: Column.Int8, updatedAt: Column.Int8 }).pipe(
  Schema.encodeKeys({
    accountId: "account_id",
    nameSlug: "name_slug",
    createdAt: "created_at",
    updatedAt: "updated_at"
  })
)

const now = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1000))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const environment = yield* EnvironmentVariables
  const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

  /**
   * The names and slugs that an account has. The next one to ask waits until the surrounding transaction ends.
   *
   * @param but the project that is to have another name
   */
  const taken = Effect.fnUntraced(function*(accountId: Id.AccountId, but = "") {
    yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`projects/${accountId}`}, 0))`
    return yield* sql<{ readonly name: string; readonly name_slug: string }>`
      SELECT name, name_slug FROM projects WHERE account_id = ${accountId} AND id <> ${but}`
  })

  /** The slug of a name, with a numeric suffix where another project has it. */
  const slugAmong = Effect.fnUntraced(function*(others: Effect.Success<ReturnType<typeof taken>>, name: string) {
    if (others.some((other) => other.name === name)) return yield* new ProjectNameTaken()
    const slugs = new Set(others.map(({ name_slug }) => name_slug))
    const base = slugOf(name, "project")
    let slug = base
    for (let n = 2; slugs.has(slug); n++) slug = `${base}-${n}`
    return slug
  })

  return {
    create: Effect.fnUntraced(function*(accountId: Id.AccountId, name: string) {
      const others = yield* taken(accountId)
      const nameSlug = yield* slugAmong(others, name)
      if (others.length >= mostProjects) return yield* new ProjectsFull()
      const id = Id.ProjectId.make(
        yield* Id.make("project").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
      )
      const createdAt = yield* now
      yield* sql`
        INSERT INTO projects ${
        sql.insert({
          id,
          account_id: accountId,
          name,
          name_slug: nameSlug,
          created_at: createdAt,
          updated_at: createdAt
        })
      }`
      return { id, accountId, name, nameSlug, createdAt, updatedAt: createdAt } satisfies Project as Project
    }, sql.withTransaction),
    /** By its id, its name or its slug. */
    get: (accountId: Id.AccountId, reference: string) =>
      one(sql`
        SELECT * FROM projects WHERE account_id = ${accountId} AND ${reference} IN (id, name, name_slug)
        ORDER BY id <> ${reference}, name <> ${reference} LIMIT 1`),
    page: (accountId: Id.AccountId, request: Page.PageRequest) =>
      Page.read(sql, { table: "projects", where: sql`account_id = ${accountId}`, request, all }),
    rename: Effect.fnUntraced(function*(accountId: Id.AccountId, id: Id.ProjectId, name: string) {
      const nameSlug = yield* slugAmong(yield* taken(accountId, id), name)
      return yield* one(sql`
        UPDATE projects SET name = ${name}, name_slug = ${nameSlug}, updated_at = ${yield* now}
        WHERE id = ${id} AND account_id = ${accountId} RETURNING *`)
    }, sql.withTransaction),
    /** Answers whether there was such a project. Its environment variables go with it. */
    remove: (
      accountId: Id.AccountId,
      id: Id.ProjectId
    ): Effect.Effect<boolean, ProjectInUse | SqlError.SqlError> =>
      Effect.gen(function*() {
        const removed = yield* sql`DELETE FROM projects WHERE id = ${id} AND account_id = ${accountId} RETURNING id`
        if (removed.length > 0) yield* environment.removeAll(id)
        return removed.length > 0
      }).pipe(
        sql.withTransaction,
        Effect.catchReason("SqlError", "ConstraintError", () => Effect.fail(new ProjectInUse()))
      ),
    /** Keeps one from being deleted until the surrounding transaction ends. Answers whether it is there. */
    hold: (id: Id.ProjectId) =>
      Effect.map(sql`SELECT id FROM projects WHERE id = ${id} FOR KEY SHARE`, (rows) => rows.length > 0)
  }
})

/** The projects of accounts: the `projects` table. */
export class Projects extends Context.Service<Projects, Effect.Success<typeof make>>()(
  "@headwater/log/resources/Projects"
) {
  static readonly layer: Layer.Layer<Projects, never, SqlClient.SqlClient | SecureRandom.SecureRandom | Seal> = Layer
    .effect(Projects, make).pipe(Layer.provide(EnvironmentVariables.layer))
}
