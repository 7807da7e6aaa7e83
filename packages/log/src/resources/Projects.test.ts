import { assert, it } from "@effect/vitest"
import { mostProjects } from "@headwater/domain/Project"
import { Seal } from "@headwater/domain/Seal"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Accounts } from "../access/Accounts.ts"
import { Projects } from "./Projects.ts"

const tables = Layer.mergeAll(Accounts.layer, Projects.layer).pipe(
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provide(Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(TestDatabase.layer)
)

it.effect("an account has a bounded number of projects, whose names and slugs are its own", () =>
  Effect.gen(function*() {
    const projects = yield* Projects
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const newAccount = Effect.map(
      accounts.create({ username: "ann", email: "a@example.com", plan: "free" }),
      ({ id }) => id
    )
    const [ann, ben] = [yield* newAccount, yield* newAccount]
    const first = yield* projects.create(ann, "Größe")
    assert.strictEqual(first.nameSlug, "gr-e")
    assert.strictEqual((yield* projects.create(ann, "店")).nameSlug, "project")
    assert.strictEqual((yield* projects.create(ann, "船")).nameSlug, "project-2")
    // A name goes before another's slug.
    const named = yield* projects.create(ann, "gr-e")
    assert.deepStrictEqual(yield* projects.get(ann, "gr-e"), Option.some(named))
    yield* projects.create(ben, "Größe")
    assert.isFalse(yield* projects.remove(ben, first.id))
    yield* sql`
      INSERT INTO projects (id, account_id, name, name_slug, created_at, updated_at)
      SELECT 'proj_' || n, ${ann}, 'p' || n, 'p' || n, 0, 0 FROM generate_series(5, ${mostProjects}) AS n`
    assert.strictEqual((yield* Effect.flip(projects.create(ann, "one more")))._tag, "ProjectsFull")
    assert.isTrue(yield* projects.remove(ann, first.id))
    yield* projects.create(ann, "one more")
  }).pipe(Effect.provide(tables)))
