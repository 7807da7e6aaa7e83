import { NewOAuth } from "@headwater/api/AppAccountsApi"
import * as Batch from "@headwater/api/Batch"
import * as Filter from "@headwater/api/Filter"
import { InitialState } from "@headwater/api/SourcesApi"
import { textUpTo } from "@headwater/api/Text"
import * as WebhookRequestSettings from "@headwater/api/WebhookRequestSettings"
import * as WebhookSettings from "@headwater/api/WebhookSettings"
import { WebhookUrl } from "@headwater/api/WebhookUrl"
import { WorkflowResource } from "@headwater/api/WorkflowsApi"
import * as DataStore from "@headwater/domain/DataStore"
import { namePattern } from "@headwater/domain/EnvironmentVariable"
import * as Project from "@headwater/domain/Project"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Schema, Struct } from "effect"

/** Kinds of things in a set-up that JSON files tell of, in folders of their names, in the order in which they are created. */
export const kinds = [
  "accounts",
  "projects",
  "environment_variables",
  "data_stores",
  "webhooks",
  "components",
  "sources",
  "workflows",
  "subscriptions",
  "auto_subscriptions"
] as const
export type TextKind = typeof kinds[number]
/** The stored files of an account are things of a set-up, too. */
export type Kind = TextKind | "files"

export type Fields = Readonly<Record<string, Schema.Json>>

/** One thing of an account, as its file has it. */
export interface Thing {
  readonly kind: Kind
  /** `<kind>/<file name without .json>`, by which other things name it; `files/<path>` of a stored file. */
  readonly ref: string
  /** A field that is missing stays as it is, or is as by default. */
  readonly fields: Fields
  /** For each secret, its dotted place in the fields, and the environment variable that holds it. */
  readonly secrets: Readonly<Record<string, string>>
}

const Secrets = Schema.Record(
  Schema.String,
  Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]*$/, { expected: "the name of an environment variable" }))
)

const nameUpTo = (longest: number) => textUpTo(longest).check(Schema.isMinLength(1))

const common = { secrets: Schema.optionalKey(Secrets) }

const code = {
  code: Schema.optionalKey(Schema.String.annotate({ description: "Path of a file from the folder." })),
  url: Schema.optionalKey(Schema.String)
}

const programs = {
  ...common,
  ...code,
  name: Schema.String,
  project: Schema.optionalKey(Schema.NullOr(Schema.String)),
  configured_props: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  active: Schema.optionalKey(Schema.Boolean),
  shadow: Schema.optionalKey(Schema.Boolean)
}

const listening = {
  listener: Schema.String,
  stream: Schema.optionalKey(StreamNameInput),
  filter: Schema.optionalKey(Schema.NullOr(Filter.Filter)),
  batch: Schema.optionalKey(Schema.NullOr(Batch.GivenBatch))
}

/** The client of an account over OAuth 2. Its tokens do not move: it is connected again. */
export const OAuthClient = Schema.Struct(Struct.omit(NewOAuth.fields, [
  "client_secret",
  "access_token",
  "refresh_token",
  "expires_at"
]))

/** The contents of the file of each kind. */
export const files = {
  accounts: Schema.Struct({
    ...common,
    app: Schema.String,
    name: Schema.optionalKey(Schema.String),
    oauth: Schema.optionalKey(OAuthClient)
  }),
  projects: Schema.Struct({ name: nameUpTo(Project.longestName) }),
  environment_variables: Schema.Struct({
    ...common,
    name: Schema.String.check(
      Schema.isPattern(namePattern, { expected: "letters, digits and _, no digit first" })
    ),
    value: Schema.optionalKey(Schema.String),
    secret: Schema.optionalKey(Schema.Boolean),
    program: Schema.optionalKey(Schema.String.annotate({ description: "The source or workflow that it is for." })),
    project: Schema.optionalKey(Schema.String.annotate({ description: "The project that it is for." }))
  }),
  /** Without its entries. */
  data_stores: Schema.Struct({ name: nameUpTo(DataStore.longestName) }),
  webhooks: Schema.Struct({
    ...common,
    name: Schema.optionalKey(Schema.NullOr(Schema.String)),
    description: Schema.optionalKey(Schema.NullOr(Schema.String)),
    url: WebhookUrl,
    active: Schema.optionalKey(Schema.Boolean),
    ...WebhookSettings.changed,
    ...WebhookRequestSettings.changed
  }),
  components: Schema.Struct({ code: Schema.String }),
  sources: Schema.Struct({
    ...programs,
    registry: Schema.optionalKey(Schema.String),
    initial_state: Schema.optionalKey(InitialState)
  }),
  workflows: Schema.Struct({
    ...programs,
    concurrency: Schema.optionalKey(WorkflowResource.fields.concurrency),
    rate_limit: Schema.optionalKey(WorkflowResource.fields.rate_limit),
    retry_delays: Schema.optionalKey(WorkflowResource.fields.retry_delays),
    errors: Schema.optionalKey(WorkflowResource.fields.errors),
    suspension_timeout: Schema.optionalKey(WorkflowResource.fields.suspension_timeout),
    timeout_seconds: Schema.optionalKey(WorkflowResource.fields.timeout_seconds),
    memory_mb: Schema.optionalKey(WorkflowResource.fields.memory_mb),
    attachments: Schema.optionalKey(WorkflowResource.fields.attachments),
    shadow_reads: Schema.optionalKey(WorkflowResource.fields.shadow_reads)
  }),
  subscriptions: Schema.Struct({ emitter: Schema.String, ...listening }),
  auto_subscriptions: Schema.Struct(listening)
} satisfies Record<TextKind, Schema.Top>

/** The file of a thing. */
export const fileOf = ({ kind, ref }: Pick<Thing, "kind" | "ref">): string => kind === "files" ? ref : `${ref}.json`

/** The account itself, as an emitter of a subscription. */
export const account = "account"

/** Stands in a field for a secret, as in answers of the API. */
export const mask = WebhookRequestSettings.mask

/** Names of webhook settings that a file has, in its order. */
export const webhookSettings = [
  "ordering",
  "concurrency",
  "rate_limit",
  "retry_schedule",
  "timeout_ms",
  "circuit",
  "signature",
  "max_bytes",
  "http2",
  "headers",
  "secret_headers",
  "tls"
] as const

/** Fields of a program that are not compared with those of the account: its code, its props, and what it begins with. */
export const programFieldsApart: ReadonlyArray<string> = [
  "code",
  "url",
  "registry",
  "configured_props",
  "initial_state"
]

export const workflowSettings = [
  "concurrency",
  "rate_limit",
  "retry_delays",
  "errors",
  "suspension_timeout",
  "timeout_seconds",
  "memory_mb",
  "attachments",
  "shadow_reads"
] as const

/** The variable that holds a secret, unless its file names another one. */
export const variableOf = (ref: string, place: string): string =>
  `HEADWATER_SECRET_${ref}_${place.replace(/^(configured_props|secret_headers)\./, "")}`.toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
