import {
  type CodelessComponent,
  Component,
  type ComponentModule,
  ConfigurableProp,
  LinkedCode,
  type RunnableComponent,
  Step
} from "@headwater/domain/Component"
import { type AccountId, ComponentId } from "@headwater/domain/Id"
import { Cache, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Column from "../database/Column.ts"
import { removeRows } from "../internal/Removal.ts"
import * as Rows from "../internal/Rows.ts"
import * as Page from "../lists/Page.ts"
import { HeldWhileUsed } from "./HeldWhileUsed.ts"

const { code: _, linked: __, ...codelessFields } = Component.fields

const codelessRow = {
  ...codelessFields,
  configurableProps: Schema.fromJsonString(Schema.Array(ConfigurableProp)),
  steps: Schema.NullOr(Schema.fromJsonString(Schema.Array(Step))),
  createdAt: Column.Int8,
  updatedAt: Column.Int8
}

const keys = {
  accountId: "account_id",
  codeHash: "code_hash",
  configurableProps: "configurable_props",
  hasAdditionalProps: "has_additional_props",
  createdAt: "created_at",
  updatedAt: "updated_at"
} as const

const CodelessRow = Schema.Struct(codelessRow).pipe(Schema.encodeKeys(keys))

const ShownRow = Schema.Struct({ ...codelessRow, code: Schema.String }).pipe(Schema.encodeKeys(keys))

const Row = Schema.Struct({
  ...codelessRow,
  code: Schema.String,
  linked: Schema.NullOr(Schema.fromJsonString(LinkedCode))
}).pipe(Schema.encodeKeys(keys))

/** A component with its code, but without what that runs with. */
export type ShownComponent = Omit<Component, "linked">

/** One that belongs to no account and can be found by its key. */
export type PublishableComponent = Component & { readonly accountId: null; readonly key: string }

/**
 * The part of a component that lists show: the beginning of its description, neither its code nor its props, which can
 * be large.
 */
const ComponentOutline = Schema.Struct({
  id: Component.fields.id,
  key: Component.fields.key,
  name: Component.fields.name,
  version: Component.fields.version,
  description: Component.fields.description,
  codeHash: Component.fields.codeHash,
  createdAt: Component.fields.createdAt,
  updatedAt: Component.fields.updatedAt
})
export type ComponentOutline = typeof ComponentOutline.Type

const OutlineRow = Schema.Struct({
  ...ComponentOutline.fields,
  createdAt: Column.Int8,
  updatedAt: Column.Int8
}).pipe(Schema.encodeKeys({ codeHash: "code_hash", createdAt: "created_at", updatedAt: "updated_at" }))

/** Rows removed at once: each may have code of a mebibyte. */
const bite = 50

/** Additions to the registry are checked against what is there, so they come one after the other. */
const registryLock = 7_250_914_203

/**
 * Saved component versions: those of accounts, and those in the registry, which belong to none. They are never changed:
 * the same key with other code is a new row.
 */
export class Components extends Context.Service<Components, {
  readonly insert: (component: Component) => Effect.Effect<void, SqlError.SqlError>
  /** Fails where a program, or a deployment that runs are still of, has it. */
  readonly delete: (id: ComponentId) => Effect.Effect<void, SqlError.SqlError>
  /** One that the account may use for a source: its own, or one in the registry. */
  readonly get: (accountId: AccountId, id: string) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
  /** Of any account, and withdrawn from the registry or not, for who holds the id from a program. */
  readonly getById: (id: ComponentId) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
  /**
   * The same for who runs it. A component never changes, so while one is held, as it is by each of maybe thousands of
   * programs, all get the same; and components with the same code have one text of it.
   */
  readonly runnable: (id: ComponentId) => Effect.Effect<Option.Option<RunnableComponent>, SqlError.SqlError>
  /** The source map of what runs, as JSON. */
  readonly map: (id: ComponentId) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
  /** Keeps one from being deleted until the surrounding transaction ends. Answers whether it is there. */
  readonly hold: (id: ComponentId) => Effect.Effect<boolean, SqlError.SqlError>
  /** As `getById`, without the code: for what is only described. */
  readonly codeless: (id: ComponentId) => Effect.Effect<Option.Option<CodelessComponent>, SqlError.SqlError>
  /** Every version of an account, those of workflows included, which no program may have any more. */
  readonly removeOfAccount: (accountId: AccountId) => Effect.Effect<void, SqlError.SqlError>
  /** Among the account's own for sources; the newest with a version where one is given. */
  readonly newestByKey: (
    accountId: AccountId,
    key: string,
    version?: string
  ) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
  /** As `get` of an id and `newestByKey` of a key: for who reads the code and does not run it. */
  readonly shown: (
    accountId: AccountId,
    idOrKey: string
  ) => Effect.Effect<Option.Option<ShownComponent>, SqlError.SqlError>
  /** As `newestPublished`, in the same way. */
  readonly shownPublished: (key: string) => Effect.Effect<Option.Option<ShownComponent>, SqlError.SqlError>
  /** The account's own for sources, every version. */
  readonly page: (
    accountId: AccountId,
    request: Page.PageRequest
  ) => Effect.Effect<Page.Page<ComponentOutline>, SqlError.SqlError>
  /** The newest version of each key in the registry. */
  readonly publishedPage: (
    request: Page.PageRequest
  ) => Effect.Effect<Page.Page<ComponentOutline>, SqlError.SqlError>
  /** The linked code of the newest of the account's components with the code, if packages or components became part of it. */
  readonly lockedCode: (
    accountId: AccountId,
    codeHash: string
  ) => Effect.Effect<Option.Option<LinkedCode>, SqlError.SqlError>
  /** The newest version in the registry, or the newest with a version. */
  readonly newestPublished: (
    key: string,
    version?: string
  ) => Effect.Effect<Option.Option<Component>, SqlError.SqlError>
  /**
   * Adds a version to the registry, unless the newest one of its key has the same code. Gives the version that is the
   * newest then.
   */
  readonly publish: (
    component: PublishableComponent
  ) => Effect.Effect<{ readonly component: Component; readonly isNew: boolean }, SqlError.SqlError>
  /** Takes every version of a key out of the registry, and gives how many there were. Sources that have one keep it. */
  readonly withdraw: (key: string) => Effect.Effect<number, SqlError.SqlError>
}>()("@headwater/log/resources/Components") {
  static readonly layer: Layer.Layer<Components, never, SqlClient.SqlClient> = Layer.effect(
    Components,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const encode = Schema.encodeEffect(Row)
      const { one } = Rows.make(Schema.decodeUnknownEffect(Row))
      const codelessRows = Rows.make(Schema.decodeUnknownEffect(CodelessRow))
      const shown = Rows.make(Schema.decodeUnknownEffect(ShownRow))
      const codelessColumns = sql`
        id, account_id, key, code_hash, name, version, type, description, url, dedupe, batch, hooks, has_additional_props,
        configurable_props, steps, created_at, updated_at`
      const usableBy = (accountId: AccountId, id: string) =>
        sql`
          id = ${id} AND steps IS NULL AND (account_id = ${accountId} OR account_id IS NULL AND NOT withdrawn)`
      const ownOfKey = (accountId: AccountId, key: string) =>
        sql`account_id = ${accountId} AND key = ${key} AND steps IS NULL`
      const publishedOfKey = (key: string) => sql`account_id IS NULL AND NOT withdrawn AND key = ${key}`
      const outlines = Rows.make(Schema.decodeUnknownEffect(OutlineRow))
      const page = (where: Statement.Fragment, request: Page.PageRequest) =>
        Page.read(sql, {
          table: "components",
          columns:
            sql`id, key, name, version, left(description, 500) AS description, code_hash, created_at, updated_at`,
          where,
          request,
          all: outlines.all
        })
      const insert = (component: Component) =>
        encode(component).pipe(
          Effect.orDie,
          Effect.flatMap((row) => sql`INSERT INTO components ${sql.insert(row)}`),
          Effect.asVoid
        )
      const held = new HeldWhileUsed<RunnableComponent>()
      const modules = new HeldWhileUsed<ComponentModule>()
      const runnableOf = ({ code, linked, ...codeless }: Component): RunnableComponent => {
        const hash = linked?.hash ?? codeless.codeHash
        const hasMap = linked !== null
        const key = `${hash} ${hasMap}`
        const module = modules.get(key) ?? { code: linked?.code ?? code, hash, hasMap }
        modules.hold(key, module)
        const runnable = { ...codeless, module }
        held.hold(codeless.id, runnable)
        return runnable
      }
      /** Shared by all who ask meanwhile, as maybe thousands of programs do that come into memory together. */
      const reading = yield* Cache.makeWith(
        (id: ComponentId) =>
          Effect.uninterruptible(
            Effect.map(one(sql`SELECT * FROM components WHERE id = ${id}`), Option.map(runnableOf))
          ),
        { capacity: 1_000, timeToLive: () => Duration.zero }
      )
      const newest = (where: Statement.Fragment, version: string | undefined) =>
        one(sql`
          SELECT * FROM components WHERE ${where}${version === undefined ? sql`` : sql` AND version = ${version}`}
          ORDER BY id DESC LIMIT 1`)
      const newestPublished = (key: string, version?: string) => newest(publishedOfKey(key), version)
      return Components.of({
        insert,
        delete: (id) =>
          Effect.map(sql`DELETE FROM components WHERE id = ${id}`, () => {
            held.forget(id)
          }),
        get: (accountId, id) => one(sql`SELECT * FROM components WHERE ${usableBy(accountId, id)}`),
        shown: (accountId, idOrKey) => {
          const named = Schema.is(ComponentId)(idOrKey) ? usableBy(accountId, idOrKey) : ownOfKey(accountId, idOrKey)
          return shown.one(sql`
            SELECT ${codelessColumns}, code FROM components WHERE ${named} ORDER BY id DESC LIMIT 1`)
        },
        shownPublished: (key) =>
          shown.one(sql`
            SELECT ${codelessColumns}, code FROM components WHERE ${publishedOfKey(key)} ORDER BY id DESC LIMIT 1`),
        getById: (id) => one(sql`SELECT * FROM components WHERE id = ${id}`),
        runnable: (id) =>
          Effect.suspend(() => {
            const known = held.get(id)
            return known === undefined ? Cache.get(reading, id) : Effect.succeedSome(known)
          }),
        map: (id) =>
          Effect.map(
            one(sql`SELECT * FROM components WHERE id = ${id}`),
            Option.flatMap(({ linked }) => Option.fromUndefinedOr(linked?.map))
          ),
        hold: (id) =>
          Effect.map(sql`SELECT id FROM components WHERE id = ${id} FOR KEY SHARE`, (rows) => rows.length > 0),
        codeless: (id) =>
          Effect.suspend((): Effect.Effect<Option.Option<CodelessComponent>, SqlError.SqlError> => {
            const known = held.get(id)
            return known === undefined
              ? codelessRows.one(sql`SELECT ${codelessColumns} FROM components WHERE id = ${id}`)
              : Effect.succeedSome(known)
          }),
        removeOfAccount: (accountId) => removeRows(sql, "components", sql`account_id = ${accountId}`, bite),
        newestByKey: (accountId, key, version) => newest(ownOfKey(accountId, key), version),
        page: (accountId, request) => page(sql`account_id = ${accountId} AND steps IS NULL`, request),
        publishedPage: (request) =>
          page(
            sql`account_id IS NULL AND NOT withdrawn AND NOT EXISTS (
              SELECT FROM components AS newer
              WHERE newer.account_id IS NULL AND NOT newer.withdrawn AND newer.key = components.key
                AND newer.id > components.id
            )`,
            request
          ),
        lockedCode: (accountId, codeHash) =>
          Effect.map(
            one(sql`
              SELECT * FROM components
              WHERE account_id = ${accountId} AND code_hash = ${codeHash} AND linked IS NOT NULL
              ORDER BY id DESC LIMIT 1`),
            Option.flatMap(({ linked }) =>
              linked?.lock === undefined && linked?.wheels === undefined && linked?.components === undefined
                ? Option.none()
                : Option.some(linked)
            )
          ),
        newestPublished,
        publish: Effect.fnUntraced(function*(component) {
          yield* sql`SELECT pg_advisory_xact_lock(${registryLock})`
          const newest = yield* newestPublished(component.key)
          if (Option.isSome(newest) && newest.value.codeHash === component.codeHash) {
            return { component: newest.value, isNew: false }
          }
          yield* insert(component)
          return { component, isNew: true }
        }, sql.withTransaction),
        withdraw: (key) =>
          Effect.map(
            sql`
              UPDATE components SET withdrawn = true WHERE account_id IS NULL AND NOT withdrawn AND key = ${key}
              RETURNING id`,
            (rows) => rows.length
          )
      })
    })
  )
}
