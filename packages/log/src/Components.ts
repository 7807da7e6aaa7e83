import { Component, ConfigurableProp } from "@headwater/domain/Component"
import type { AccountId, ComponentId } from "@headwater/domain/Id"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import * as Column from "./Column.ts"

const Row = Schema.Struct({
  ...Component.fields,
  configurableProps: Schema.fromJsonString(Schema.Array(ConfigurableProp)),
  createdAt: Column.Int8,
  updatedAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  codeHash: "code_hash",
  configurableProps: "configurable_props",
  createdAt: "created_at",
  updatedAt: "updated_at"
}))

/** Saved component versions. They are never changed: the same key with other code is a new row. */
export class Components extends Context.Service<Components, {
  readonly insert: (component: Component) => Effect.Effect<void, SqlError.SqlError>
  /** For one whose source did not come about; fails where a source has it. */
  readonly delete: (id: ComponentId) => Effect.Effect<void, SqlError.SqlError>
  readonly get: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
  /** Of any account: for the engine, which holds the id from a source. */
  readonly getById: (id: ComponentId) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
  readonly newestByKey: (
    accountId: AccountId,
    key: string
  ) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
}>()("@headwater/log/Components") {
  static readonly layer: Layer.Layer<Components, never, SqlClient.SqlClient> = Layer.effect(
    Components,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const encode = Schema.encodeEffect(Row)
      const one = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        SqlSchema.findOneOption({ Request: Schema.Void, Result: Row, execute: () => rows })().pipe(
          Effect.catchTag("SchemaError", Effect.die)
        )
      return Components.of({
        insert: (component) =>
          encode(component).pipe(
            Effect.orDie,
            Effect.flatMap((row) => sql`INSERT INTO components ${sql.insert(row)}`),
            Effect.asVoid
          ),
        delete: (id) => Effect.asVoid(sql`DELETE FROM components WHERE id = ${id}`),
        get: (accountId, id) => one(sql`SELECT * FROM components WHERE id = ${id} AND account_id = ${accountId}`),
        getById: (id) => one(sql`SELECT * FROM components WHERE id = ${id}`),
        newestByKey: (accountId, key) =>
          one(sql`
            SELECT * FROM components WHERE account_id = ${accountId} AND key = ${key} ORDER BY id DESC LIMIT 1`)
      })
    })
  )
}
