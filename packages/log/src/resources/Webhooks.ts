import * as Id from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import * as SigningKey from "@headwater/domain/SigningKey"
import * as UrlPassword from "@headwater/domain/UrlPassword"
import { type DisabledReason, Webhook, type WebhookState } from "@headwater/domain/Webhook"
import * as WebhookRequest from "@headwater/domain/WebhookRequest"
import { defaults, type SettingsChange } from "@headwater/domain/WebhookSettings"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import * as Column from "../database/Column.ts"
import { isLocked, retrySchedule } from "../database/TransientSqlError.ts"
import * as Rows from "../internal/Rows.ts"
import { texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"
import { Fences } from "../logs/Fences.ts"
import { Subscriptions } from "./Subscriptions.ts"

/** The time for which the secret, or the key pair, before a rotation still signs (delivery.md, "The request"). */
export const overlapMs = 24 * 60 * 60 * 1000

/** A webhook would move to another origin with secrets that were given for the one before. */
export class SecretsKept extends Schema.TaggedError<SecretsKept>()("SecretsKept", {
  /** Of those secrets, as the API names them. */
  paths: Schema.Array(Schema.String)
}) {}

/** The number of webhooks whose passwords are read at once to be sealed. */
const bite = 100

const RequestText = Schema.fromJsonString(WebhookRequest.WebhookRequest)
const SecretsText = Schema.fromJsonString(WebhookRequest.WebhookRequestSecrets)

const Row = Schema.Struct({
  ...Webhook.fields,
  request: Schema.NullOr(RequestText),
  throttledUntil: Schema.NullOr(Column.Int8),
  failingSince: Schema.NullOr(Column.Int8),
  circuitUntil: Schema.NullOr(Column.Int8),
  rateReservedUntil: Schema.NullOr(Column.Int8),
  createdAt: Column.Int8,
  updatedAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  workflowId: "workflow_id",
  disabledReason: "disabled_reason",
  throttledUntil: "throttled_until",
  failingSince: "failing_since",
  failingTold: "failing_told",
  owesRecovery: "owes_recovery",
  exhaustedTold: "exhausted_told",
  circuitFailures: "circuit_failures",
  circuitOpens: "circuit_opens",
  circuitUntil: "circuit_until",
  rateReservedUntil: "rate_reserved_until",
  createdAt: "created_at",
  updatedAt: "updated_at"
}))

interface SecretRow {
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
  readonly previous_secret_until: bigint | null
  readonly key_pair: Uint8Array | null
  readonly previous_key_pair: Uint8Array | null
  readonly previous_key_pair_until: bigint | null
  readonly request: string | null
}

interface RequestRow {
  readonly request: string | null
  readonly request_secrets: Uint8Array | null
}

/** The changes that a client may make to a webhook; a field that is undefined stays. */
export interface WebhookChange {
  readonly name: string | null | undefined
  readonly description: string | null | undefined
  /** With its password. */
  readonly url: string | undefined
  readonly active: boolean
  readonly settings?: SettingsChange
  readonly request?: WebhookRequest.WebhookRequestChange
}

/** The webhooks that a list has. */
export interface WebhookFilter {
  /** A part of the name, the description or the URL, in any case, or the id. */
  readonly text?: string | undefined
  readonly active?: boolean | undefined
  readonly state?: WebhookState | undefined
  /** Those of which most attempts fail. */
  readonly failing: ReadonlySet<string>
  /** Unix milliseconds. */
  readonly now: number
}

/** The number of webhooks, and of those in each of several conditions, of which one can be in more. */
export interface WebhookCounts {
  readonly total: number
  readonly active: number
  /** Taken out of service by the engine. */
  readonly disabled: number
  readonly failing: number
  readonly throttled: number
  /** Those whose circuit is open. */
  readonly open: number
}

/** The settings that are stored, and those that are to be as by default. */
const settingsOf = (change: SettingsChange) => {
  const entries = Object.entries(change)
  return {
    given: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined))),
    removed: entries.filter(([, value]) => value === null).map(([name]) => name)
  }
}

const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

const isEmpty = (object: object) => Object.keys(object).length === 0

const parts = Effect.all({
  fences: Fences,
  random: SecureRandom.SecureRandom,
  seal: Seal,
  sql: SqlClient.SqlClient,
  subscriptions: Subscriptions
})

type Parts = Effect.Success<typeof parts>

/** The secret parts of a webhook, as they are stored and as they are used. */
const sealing = ({ random, seal }: Parts) => {
  const newSecret = Effect.map(random.randomBytes(SigningKey.randomBytes), SigningKey.secret)

  const newKeyPair = Effect.map(random.randomBytes(SigningKey.randomBytes), SigningKey.keyPair)

  const urlColumns = Effect.fnUntraced(function*(id: string, url: string) {
    const { password, shown } = UrlPassword.split(url)
    return {
      url: shown,
      url_password: password === undefined ? null : yield* seal.seal(passwordPlaceOf(id), password)
    }
  })

  const openRequest = Effect.fnUntraced(function*(id: string, row: RequestRow) {
    const secrets = row.request_secrets === null
      ? undefined
      : Redacted.value(yield* seal.open(requestPlaceOf(id), row.request_secrets))
    return {
      request: row.request === null ? {} : yield* Effect.orDie(Schema.decodeEffect(RequestText)(row.request)),
      secrets: secrets === undefined ? {} : yield* Effect.orDie(Schema.decodeEffect(SecretsText)(secrets))
    }
  })

  const requestColumns = Effect.fnUntraced(
    function*(id: string, { request, secrets }: WebhookRequest.WholeWebhookRequest) {
      const text = yield* Effect.orDie(Schema.encodeEffect(SecretsText)(secrets))
      return {
        request: isEmpty(request) ? null : yield* Effect.orDie(Schema.encodeEffect(RequestText)(request)),
        request_secrets: isEmpty(secrets) ? null : yield* seal.seal(requestPlaceOf(id), Redacted.make(text))
      }
    }
  )

  /** A new key pair for requests that need one and may have none yet, sealed. */
  const keyPairFor = Effect.fnUntraced(
    function*(id: string, { signature = "hmac" }: WebhookRequest.WebhookRequest) {
      return signature === "hmac" ? undefined : yield* seal.seal(keyPairPlaceOf(id), yield* newKeyPair)
    }
  )

  return { keyPairFor, newKeyPair, newSecret, openRequest, requestColumns, urlColumns }
}

const ofAccount = (sql: SqlClient.SqlClient, accountId: Id.AccountId, id: string) =>
  sql`id = ${id} AND account_id = ${accountId} AND workflow_id IS NULL`

const reads = (sql: SqlClient.SqlClient) => ({
  get: (accountId: Id.AccountId, id: string): Effect.Effect<Option.Option<Webhook>, SqlError.SqlError> =>
    one(sql`SELECT * FROM webhooks WHERE ${ofAccount(sql, accountId, id)}`),
  /** As `get`, and it stays there until the surrounding transaction ends. */
  hold: (accountId: Id.AccountId, id: string): Effect.Effect<Option.Option<Webhook>, SqlError.SqlError> =>
    one(sql`SELECT * FROM webhooks WHERE ${ofAccount(sql, accountId, id)} FOR KEY SHARE`),
  /** True if an account has so many. */
  areAsManyAs: (accountId: Id.AccountId, count: number): Effect.Effect<boolean, SqlError.SqlError> =>
    Effect.map(
      sql`SELECT FROM webhooks WHERE account_id = ${accountId} OFFSET ${count - 1} LIMIT 1`,
      (rows) => rows.length > 0
    ),
  /** All of an account, those that send workflows' own requests included. */
  idsOfAccount: (accountId: Id.AccountId): Effect.Effect<ReadonlyArray<Id.WebhookId>, SqlError.SqlError> =>
    Effect.map(
      sql<{ readonly id: Id.WebhookId }>`SELECT id FROM webhooks WHERE account_id = ${accountId} ORDER BY id`,
      (rows) => rows.map(({ id }) => id)
    ),
  /** The names of webhooks, their `active` flags and the workflows whose own requests they send, by their ids. */
  names: (ids: ReadonlyArray<string>): Effect.Effect<
    ReadonlyMap<string, { readonly name: string | null; readonly active: boolean; readonly workflowId: string | null }>,
    SqlError.SqlError
  > =>
    Effect.map(
      sql<{ id: string; name: string | null; active: boolean; workflow_id: string | null }>`
        SELECT id, name, active, workflow_id FROM webhooks WHERE id = ANY (${texts(ids)})`,
      (rows) =>
        new Map(rows.map(({ active, id, name, workflow_id }) => [id, { name, active, workflowId: workflow_id }]))
    ),
  /** Webhooks of an account that are active, those first to which nothing arrives. */
  activeIds: (accountId: Id.AccountId, limit: number): Effect.Effect<ReadonlyArray<Id.WebhookId>, SqlError.SqlError> =>
    Effect.map(
      sql<{ readonly id: Id.WebhookId }>`
        SELECT id FROM webhooks WHERE account_id = ${accountId} AND workflow_id IS NULL AND active
        ORDER BY failing_since NULLS LAST, id LIMIT ${limit}`,
      (rows) => rows.map(({ id }) => id)
    ),
  /**
   * The number of an account's webhooks, and of those in each condition at a time, in Unix milliseconds.
   *
   * @param failing those of which most attempts fail
   */
  countsOf: (
    accountId: Id.AccountId,
    failing: ReadonlySet<string>,
    now: number
  ): Effect.Effect<WebhookCounts, SqlError.SqlError> =>
    Effect.map(
      sql<Record<keyof WebhookCounts, bigint>>`
        SELECT count(*) AS total, count(*) FILTER (WHERE active) AS active,
          count(*) FILTER (WHERE NOT active AND disabled_reason IS NOT NULL) AS disabled,
          count(*) FILTER (WHERE active AND id = ANY (${texts([...failing])})) AS failing,
          count(*) FILTER (WHERE active AND throttled_until > ${now}) AS throttled,
          count(*) FILTER (WHERE active AND circuit_until IS NOT NULL) AS open
        FROM webhooks WHERE account_id = ${accountId} AND workflow_id IS NULL`,
      ([row]) => ({
        total: Number(row!.total),
        active: Number(row!.active),
        disabled: Number(row!.disabled),
        failing: Number(row!.failing),
        throttled: Number(row!.throttled),
        open: Number(row!.open)
      })
    ),
  /** The same, each with the workflow whose own requests it sends; null for a webhook of the account's. */
  ownersOfAccount: (accountId: Id.AccountId): Effect.Effect<ReadonlyMap<string, string | null>, SqlError.SqlError> =>
    Effect.map(
      sql<{ id: string; workflow_id: string | null }>`
        SELECT id, workflow_id FROM webhooks WHERE account_id = ${accountId}`,
      (rows) => new Map(rows.map((row) => [row.id, row.workflow_id]))
    ),
  /** The webhook that sends a workflow's own requests. */
  ofWorkflow: (id: Id.WorkflowId): Effect.Effect<Option.Option<Webhook>, SqlError.SqlError> =>
    one(sql`SELECT * FROM webhooks WHERE workflow_id = ${id}`),
  /** Of any account, for the engine; also what sends a workflow's requests. */
  getById: (id: Id.WebhookId): Effect.Effect<Option.Option<Webhook>, SqlError.SqlError> =>
    one(sql`SELECT * FROM webhooks WHERE id = ${id}`),
  page: (
    accountId: Id.AccountId,
    request: Page.PageRequest,
    { active, failing, now, state, text }: WebhookFilter
  ): Effect.Effect<Page.Page<Webhook>, SqlError.SqlError> => {
    const isFailing = sql`id = ANY (${texts([...failing])})`
    const isThrottled = sql`coalesce(throttled_until > ${now}, false)`
    const states = {
      active: sql`active AND NOT ${isFailing} AND NOT ${isThrottled}`,
      failing: sql`active AND ${isFailing}`,
      throttled: sql`active AND ${isThrottled} AND NOT ${isFailing}`,
      paused: sql`NOT active AND disabled_reason IS NULL`,
      disabled: sql`NOT active AND disabled_reason IS NOT NULL`
    }
    return Page.read(sql, {
      table: "webhooks",
      where: sql.and([
        sql`account_id = ${accountId}`,
        sql`workflow_id IS NULL`,
        ...(text === undefined ? [] : [Page.contains(sql, ["name", "description", "url"], text)]),
        ...(active === undefined ? [] : [sql`active = ${active}`]),
        ...(state === undefined ? [] : [states[state]])
      ]),
      request,
      all
    })
  }
})

/** The secrets of webhooks. */
const secretsOf = (parts: Parts) => {
  const { seal, sql } = parts
  const { newKeyPair, newSecret, openRequest, urlColumns } = sealing(parts)

  const sealPasswordOf = Effect.fnUntraced(function*({ id, url }: { readonly id: string; readonly url: string }) {
    yield* sql`UPDATE webhooks SET ${sql.update(yield* urlColumns(id, url))} WHERE id = ${id} AND url = ${url}`
  }, Effect.retry({ schedule: retrySchedule, while: isLocked }))

  const openWith = (place: string) => (sealed: Uint8Array) => seal.open(place, sealed)

  const secretColumns = sql`secret, previous_secret, previous_secret_until, key_pair, previous_key_pair,
    previous_key_pair_until, request`

  return {
    /** The target of deliveries: the URL with its password. None for an unknown webhook. */
    target: Effect.fnUntraced(function*(id: Id.WebhookId) {
      const [row] = yield* sql<{ readonly url: string; readonly url_password: Uint8Array | null }>`
        SELECT url, url_password FROM webhooks WHERE id = ${id}`
      if (row === undefined) return Option.none()
      const password = row.url_password === null
        ? undefined
        : yield* seal.open(passwordPlaceOf(id), row.url_password)
      return Option.some(UrlPassword.join({ shown: row.url, password }))
    }),
    /** The live secrets of symmetric signatures, the current one first; none for an unknown webhook. */
    secrets: Effect.fnUntraced(function*(id: Id.WebhookId) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* sql<SecretRow>`SELECT ${secretColumns} FROM webhooks WHERE id = ${id}`
      return row === undefined ? [] : yield* Effect.forEach(liveSecrets(row, now), openWith(placeOf(id)))
    }),
    /** The live secrets and key pairs that sign, as the webhook's `signature` says. */
    signingKeys: Effect.fnUntraced(function*(id: Id.WebhookId) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* sql<SecretRow>`SELECT ${secretColumns} FROM webhooks WHERE id = ${id}`
      if (row === undefined) return []
      const { signature = "hmac" } = row.request === null
        ? {}
        : yield* Effect.orDie(Schema.decodeEffect(RequestText)(row.request))
      const secrets = signature === "ed25519" ? [] : liveSecrets(row, now)
      const keyPairs = signature === "hmac" ? [] : liveKeyPairs(row, now)
      return [
        ...(yield* Effect.forEach(secrets, openWith(placeOf(id)))),
        ...(yield* Effect.forEach(keyPairs, openWith(keyPairPlaceOf(id))))
      ]
    }),
    /** The secret parts of its requests; none for an unknown webhook. */
    requestSecrets: Effect.fnUntraced(function*(id: Id.WebhookId) {
      const [row] = yield* sql<RequestRow>`SELECT request, request_secrets FROM webhooks WHERE id = ${id}`
      return row === undefined ? {} : (yield* openRequest(id, row)).secrets
    }),
    /** Makes a new secret; the one before it stays live for `overlapMs`. None for an unknown webhook. */
    rotate: Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
      const secret = yield* newSecret
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`
        UPDATE webhooks SET previous_secret = secret, previous_secret_until = ${now + overlapMs},
          secret = ${yield* seal.seal(placeOf(id), secret)}, updated_at = ${Math.floor(now / 1000)}
        WHERE id = ${id} AND account_id = ${accountId} RETURNING id`
      return rows.length === 0 ? Option.none() : Option.some(secret)
    }),
    /** The key pair of asymmetric signatures, which is made when it is first needed. None for an unknown webhook. */
    keyPair: Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
      const [found] = yield* sql<{ readonly key_pair: Uint8Array | null }>`
        SELECT key_pair FROM webhooks WHERE ${ofAccount(sql, accountId, id)}`
      if (found === undefined) return Option.none()
      if (found.key_pair !== null) return Option.some(yield* seal.open(keyPairPlaceOf(id), found.key_pair))
      const sealed = yield* seal.seal(keyPairPlaceOf(id), yield* newKeyPair)
      // Of two that come at once, both get what the first one made.
      const [row] = yield* sql<{ readonly key_pair: Uint8Array }>`
        UPDATE webhooks SET key_pair = coalesce(key_pair, ${sealed}) WHERE ${ofAccount(sql, accountId, id)}
        RETURNING key_pair`
      return row === undefined ? Option.none() : Option.some(yield* seal.open(keyPairPlaceOf(id), row.key_pair))
    }),
    /** Makes a new key pair; the one before it stays live for `overlapMs`. None for an unknown webhook. */
    rotateKeyPair: Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
      const pair = yield* newKeyPair
      const now = yield* Clock.currentTimeMillis
      const rows = yield* sql`
        UPDATE webhooks SET previous_key_pair = key_pair, previous_key_pair_until = ${now + overlapMs},
          key_pair = ${yield* seal.seal(keyPairPlaceOf(id), pair)}, updated_at = ${Math.floor(now / 1000)}
        WHERE ${ofAccount(sql, accountId, id)} RETURNING id`
      return rows.length === 0 ? Option.none() : Option.some(pair)
    }),
    /**
     * Seals the passwords of URLs that were last written before they were. May run beside changes, and on several nodes.
     */
    sealPasswords: Effect.gen(function*() {
      let after = ""
      while (true) {
        const rows = yield* sql<{ readonly id: string; readonly url: string }>`
          SELECT id, url FROM webhooks
          WHERE url_password IS NULL AND url ~ '^[^/]*//[^/?#]*:[^/?#]*@' AND id > ${after} ORDER BY id LIMIT ${bite}`
        const last = rows.at(-1)
        if (last === undefined) return
        yield* Effect.forEach(rows, sealPasswordOf, { discard: true })
        after = last.id
      }
    })
  }
}

const changes = (parts: Parts) => {
  const { fences, random, seal, sql, subscriptions } = parts
  const { keyPairFor, newSecret, openRequest, requestColumns, urlColumns } = sealing(parts)

  /**
   * The columns after a change; nobody else changes them until the surrounding transaction ends.
   *
   * @param url the one to move to, if any
   */
  const changedRequest = Effect.fnUntraced(function*(
    accountId: Id.AccountId,
    id: string,
    change: WebhookRequest.WebhookRequestChange,
    url: string | undefined
  ) {
    const changes = WebhookRequest.changesAnything(change)
    if (!changes && url === undefined) return {}
    const [row] = yield* sql<RequestRow & { readonly key_pair: Uint8Array | null; readonly url: string }>`
      SELECT request, request_secrets, key_pair, url FROM webhooks
      WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`
    if (row === undefined) return {}
    const before = yield* openRequest(id, row)
    if (url !== undefined && new URL(url).origin !== new URL(row.url).origin) {
      const paths = WebhookRequest.keptSecrets(before, change)
      if (paths.length > 0) return yield* new SecretsKept({ paths })
    }
    if (!changes) return {}
    const after = WebhookRequest.changed(before, change)
    const keyPair = row.key_pair === null ? yield* keyPairFor(id, after.request) : undefined
    return { ...(yield* requestColumns(id, after)), ...(keyPair === undefined ? {} : { key_pair: keyPair }) }
  })

  return {
    /** Creates it active and with a new secret. */
    insert: Effect.fnUntraced(function*(input: {
      readonly accountId: Id.AccountId
      readonly name: string | null
      readonly description: string | null
      readonly url: string
      readonly workflowId?: Id.WorkflowId
      readonly settings?: SettingsChange
      readonly request?: WebhookRequest.WebhookRequestChange
    }) {
      const id = yield* Id.make("webhook").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const columns = input.workflowId === undefined
        ? yield* urlColumns(id, input.url)
        : { url: input.url, url_password: null }
      const { given } = settingsOf(input.settings ?? {})
      const whole = WebhookRequest.changed(WebhookRequest.standard, input.request ?? {})
      const webhook: Webhook = {
        accountId: input.accountId,
        name: input.name,
        description: input.description,
        settings: { ...defaults, ...JSON.parse(given) },
        url: columns.url,
        request: isEmpty(whole.request) ? null : whole.request,
        workflowId: input.workflowId ?? null,
        id: Id.WebhookId.make(id),
        active: true,
        disabledReason: null,
        throttledUntil: null,
        failingSince: null,
        failingTold: 0,
        owesRecovery: false,
        exhaustedTold: false,
        circuitFailures: 0,
        circuitOpens: 0,
        circuitUntil: null,
        rateReservedUntil: null,
        createdAt: now,
        updatedAt: now
      }
      const secret = yield* seal.seal(placeOf(id), yield* newSecret)
      const row = sql`
            INSERT INTO webhooks ${
        sql.insert({
          id,
          account_id: input.accountId,
          name: input.name,
          description: input.description,
          ...columns,
          ...(yield* requestColumns(id, whole)),
          key_pair: (yield* keyPairFor(id, whole.request)) ?? null,
          workflow_id: webhook.workflowId,
          active: true,
          settings: given,
          secret,
          created_at: now,
          updated_at: now
        })
      }`
      yield* sql.withTransaction(Effect.andThen(fences.create(id, input.accountId), row))
      return webhook
    }),
    /** Making an inactive webhook active forgets why it was taken out of service, and closes its circuit. */
    update: Effect.fnUntraced(function*(accountId: Id.AccountId, id: string, change: WebhookChange) {
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const set = {
        active: change.active,
        updated_at: now,
        ...(change.name === undefined ? {} : { name: change.name }),
        ...(change.description === undefined ? {} : { description: change.description }),
        ...(change.url === undefined ? {} : yield* urlColumns(id, change.url)),
        ...(yield* changedRequest(accountId, id, change.request ?? {}, change.url)),
        ...(change.active ? { disabled_reason: null } : {})
      }
      const { given, removed } = settingsOf(change.settings ?? {})
      const settings = sql`((settings || ${given}::jsonb) - ${texts(removed)})`
      const stays = sql`(active OR NOT ${change.active}::boolean)`
      const keepsCircuit = sql`(${stays} AND ${settings} ? 'circuit')`
      return yield* one(sql`
        UPDATE webhooks SET ${sql.update(set)}, settings = ${settings},
          failing_since = CASE WHEN ${stays} THEN failing_since END,
          failing_told = CASE WHEN ${stays} THEN failing_told ELSE 0 END,
          exhausted_told = ${stays} AND exhausted_told,
          circuit_failures = CASE WHEN ${keepsCircuit} THEN circuit_failures ELSE 0 END,
          circuit_opens = CASE WHEN ${keepsCircuit} THEN circuit_opens ELSE 0 END,
          circuit_until = CASE WHEN ${keepsCircuit} THEN circuit_until END,
          rate_reserved_until = CASE
            WHEN settings -> 'rateLimit' IS NOT DISTINCT FROM ${settings} -> 'rateLimit' THEN rate_reserved_until END
        WHERE id = ${id} AND account_id = ${accountId} RETURNING *`)
    }),
    /** Removes it with the subscriptions it listens by, at once. Answers whether there was such a webhook. */
    delete: (accountId: Id.AccountId, id: string): Effect.Effect<boolean, SqlError.SqlError> =>
      sql.withTransaction(Effect.gen(function*() {
        const rows = yield* sql`SELECT FROM webhooks WHERE id = ${id} AND account_id = ${accountId}`
        if (rows.length === 0) return false
        // Before the row, which commits of the owner may change too.
        yield* fences.remove(id)
        yield* sql`DELETE FROM webhooks WHERE id = ${id}`
        yield* subscriptions.removeParty(accountId, id)
        return true
      }))
  }
}

/** Transitions by the engine. */
const health = (sql: SqlClient.SqlClient) => ({
  /** No send before `untilMs`; an earlier end never shortens a throttle. */
  throttle: (id: Id.WebhookId, untilMs: number): Effect.Effect<void, SqlError.SqlError> =>
    sql`
      UPDATE webhooks SET throttled_until = greatest(throttled_until, ${untilMs}::bigint)
      WHERE id = ${id}`.pipe(Effect.asVoid),
  /** Nothing but failures since `sinceMs`, or since earlier where that is known already. */
  markFailing: (id: Id.WebhookId, sinceMs: number): Effect.Effect<void, SqlError.SqlError> =>
    sql`
      UPDATE webhooks SET failing_since = ${sinceMs}
      WHERE id = ${id} AND (failing_since IS NULL OR failing_since > ${sinceMs})`.pipe(Effect.asVoid),
  /** Something arrived: nothing fails, the circuit is closed, and what happens from now on is told again. */
  markHealthy: (id: Id.WebhookId): Effect.Effect<void, SqlError.SqlError> =>
    sql`
      UPDATE webhooks SET failing_since = NULL, failing_told = 0, owes_recovery = false, exhausted_told = false,
        circuit_failures = 0, circuit_opens = 0, circuit_until = NULL
      WHERE id = ${id} AND (failing_since IS NOT NULL OR owes_recovery OR exhausted_told)`.pipe(Effect.asVoid),
  /** It was told how far it is on the way to being switched off, in percent. */
  noteFailingTold: (id: Id.WebhookId, percent: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`UPDATE webhooks SET failing_told = ${percent}, owes_recovery = true WHERE id = ${id}`),
  /** It was told that a delivery was given up. */
  noteExhaustedTold: (id: Id.WebhookId): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`UPDATE webhooks SET exhausted_told = true WHERE id = ${id}`),
  /** Notes the number of failures in a row. */
  countFailures: (id: Id.WebhookId, failures: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`UPDATE webhooks SET circuit_failures = ${failures} WHERE id = ${id}`),
  /** Its circuit opens, for so many times in a row, until a time in Unix milliseconds. */
  openCircuit: (id: Id.WebhookId, opens: number, untilMs: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
      UPDATE webhooks SET circuit_failures = 0, circuit_opens = ${opens}, circuit_until = ${untilMs}
      WHERE id = ${id}`),
  /** Attempts may be made up to this place of its rate, in Unix milliseconds. */
  reserveRate: (id: Id.WebhookId, untilMs: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`UPDATE webhooks SET rate_reserved_until = ${untilMs} WHERE id = ${id}`),
  /** Takes it out of service. False where it was out already, so that the transition is told once. */
  disable: (id: Id.WebhookId, reason: DisabledReason, atMs: number): Effect.Effect<boolean, SqlError.SqlError> =>
    Effect.map(
      sql`
              UPDATE webhooks SET active = false, disabled_reason = ${reason}, owes_recovery = true, updated_at = ${
        Math.floor(atMs / 1000)
      }
              WHERE id = ${id} AND active RETURNING id`,
      (rows) => rows.length > 0
    )
})

const make = Effect.map(parts, (all) => ({
  ...reads(all.sql),
  ...secretsOf(all),
  ...changes(all),
  ...health(all.sql)
}))

/**
 * Webhooks, with what is secret of them sealed: signing secrets and key pairs, passwords of URLs, and secrets of
 * requests. The transitions of the engine are single statements, so they take part in whatever transaction surrounds
 * them.
 */
export class Webhooks
  extends Context.Service<Webhooks, Effect.Success<typeof make>>()("@headwater/log/resources/Webhooks")
{
  static readonly layer: Layer.Layer<
    Webhooks,
    never,
    SqlClient.SqlClient | Seal | SecureRandom.SecureRandom | Subscriptions
  > = Layer.effect(Webhooks, make).pipe(Layer.provide(Fences.layer))
}

/** Those of them that are live at a time, in Unix milliseconds, the current one first. */
const live = (
  current: Uint8Array | null,
  previous: Uint8Array | null,
  until: bigint | null,
  now: number
): ReadonlyArray<Uint8Array> => [
  ...(current === null ? [] : [current]),
  ...(previous !== null && Number(until) > now ? [previous] : [])
]

const liveSecrets = (row: SecretRow, now: number) =>
  live(row.secret, row.previous_secret, row.previous_secret_until, now)

const liveKeyPairs = (row: SecretRow, now: number) =>
  live(row.key_pair, row.previous_key_pair, row.previous_key_pair_until, now)

const keyPairPlaceOf = (id: string): string => `webhooks/${id}/key`

const requestPlaceOf = (id: string): string => `webhooks/${id}/request`

const passwordPlaceOf = (id: string): string => `webhooks/${id}/url`

const placeOf = (id: string): string => `webhooks/${id}`
