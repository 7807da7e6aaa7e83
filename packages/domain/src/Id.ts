import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as RandomBytes from "./RandomBytes.ts"

/** The prefix that says what an id names (rest-api.md, "Identifier prefixes"; decisions.md, "Conventions"). */
export const prefixes = {
  account: "u",
  appAccount: "apn",
  audit: "aud",
  autoSubscription: "as",
  bulkAction: "ba",
  clockOperation: "clk",
  component: "sc",
  consumer: "cns",
  courier: "cr",
  dataStore: "ds",
  delivery: "dlv",
  deployment: "d",
  file: "fl",
  key: "key",
  project: "proj",
  run: "run",
  session: "ses",
  source: "dc",
  step: "c",
  subscription: "sub",
  webhook: "wh",
  workflow: "p"
} as const

export type Kind = keyof typeof prefixes

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const timeLength = 8

/** The number of random characters in an id. */
export const randomLength = 12

const bodyPattern = `[0-9A-Za-z]{${timeLength + randomLength}}`

const idOf = (kind: Kind) =>
  Schema.String.pipe(Schema.check(Schema.isPattern(new RegExp(`^${prefixes[kind]}_${bodyPattern}$`))))

export const AccountId = idOf("account").pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const AppAccountId = idOf("appAccount").pipe(Schema.brand("AppAccountId"))
export type AppAccountId = typeof AppAccountId.Type

export const AuditId = idOf("audit").pipe(Schema.brand("AuditId"))
export type AuditId = typeof AuditId.Type

export const ClockOperationId = idOf("clockOperation").pipe(Schema.brand("ClockOperationId"))
export type ClockOperationId = typeof ClockOperationId.Type

export const ComponentId = idOf("component").pipe(Schema.brand("ComponentId"))
export type ComponentId = typeof ComponentId.Type

export const ConsumerId = idOf("consumer").pipe(Schema.brand("ConsumerId"))
export type ConsumerId = typeof ConsumerId.Type

export const CourierId = idOf("courier").pipe(Schema.brand("CourierId"))
export type CourierId = typeof CourierId.Type

export const DataStoreId = idOf("dataStore").pipe(Schema.brand("DataStoreId"))
export type DataStoreId = typeof DataStoreId.Type

export const FileId = idOf("file").pipe(Schema.brand("FileId"))
export type FileId = typeof FileId.Type

export const ProjectId = idOf("project").pipe(Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

export const SourceId = idOf("source").pipe(Schema.brand("SourceId"))
export type SourceId = typeof SourceId.Type

export const WorkflowId = idOf("workflow").pipe(Schema.brand("WorkflowId"))
export type WorkflowId = typeof WorkflowId.Type

/** The id of a program: a source or a workflow. */
export const ProgramId = Schema.Union([SourceId, WorkflowId])
export type ProgramId = typeof ProgramId.Type

export const DeploymentId = idOf("deployment").pipe(Schema.brand("DeploymentId"))
export type DeploymentId = typeof DeploymentId.Type

export const RunId = idOf("run").pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

export const StepId = idOf("step").pipe(Schema.brand("StepId"))
export type StepId = typeof StepId.Type

export const WebhookId = idOf("webhook").pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

export const DeliveryId = idOf("delivery").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const SubscriptionId = idOf("subscription").pipe(Schema.brand("SubscriptionId"))
export type SubscriptionId = typeof SubscriptionId.Type

export const AutoSubscriptionId = idOf("autoSubscription").pipe(Schema.brand("AutoSubscriptionId"))
export type AutoSubscriptionId = typeof AutoSubscriptionId.Type

export const BulkActionId = idOf("bulkAction").pipe(Schema.brand("BulkActionId"))
export type BulkActionId = typeof BulkActionId.Type

export const KeyId = idOf("key").pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

export const SessionId = idOf("session").pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as Kind])
)

/** The kind that an id's prefix names; undefined for any other text. */
export const kindOf = (id: string): Kind | undefined => kinds.get(id.slice(0, id.indexOf("_")))

const encodeTime = (ms: number): string => {
  let rest = ms
  let text = ""
  for (let i = 0; i < timeLength; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

const latestTime = 62 ** timeLength - 1

/** Text that, in byte order, comes behind all ids made before a time in Unix milliseconds, and before all others. */
export const firstAt = (kind: Kind, ms: number): string =>
  `${prefixes[kind]}_${encodeTime(Math.max(0, Math.min(ms, latestTime)))}`

/** The time at which an id was made, in Unix milliseconds. */
export const timeOf = (id: string): number => {
  const start = id.indexOf("_") + 1
  let ms = 0
  for (const character of id.slice(start, start + timeLength)) ms = ms * 62 + alphabet.indexOf(character)
  return ms
}

const inAlphabet = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += alphabet[byte % 62]
  return text
}

/** Random text of the id alphabet, from the system's secure random source. */
export const takeText = (length: number): string => inAlphabet(RandomBytes.take(length))

/**
 * Random text of the id alphabet from the secure random source. The slight bias of `byte % 62` costs a token of 24
 * characters less than one of its 142 bits.
 */
export const randomText = (length: number): Effect.Effect<string, never, SecureRandom.SecureRandom> =>
  Effect.flatMap(SecureRandom.SecureRandom, (random) => Effect.map(random.randomBytes(length), inAlphabet))

/**
 * A new id: prefix, then the time in milliseconds (so ids order by creation in plain byte order, also after their item
 * is gone), then random text.
 *
 * @param random as many bytes as `randomLength`
 */
export const of = <K extends Kind>(kind: K, ms: number, random: Uint8Array): `${typeof prefixes[K]}_${string}` =>
  `${prefixes[kind]}_${encodeTime(ms)}${inAlphabet(random)}`

/** A new id by the clock and the secure random source. */
export const make = <K extends Kind>(
  kind: K
): Effect.Effect<`${typeof prefixes[K]}_${string}`, never, SecureRandom.SecureRandom> =>
  Effect.clockWith((clock) =>
    Effect.map(
      Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(randomLength)),
      (random) => of(kind, clock.currentTimeMillisUnsafe(), random)
    )
  )
