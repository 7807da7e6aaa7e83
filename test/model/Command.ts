import { Ordering } from "@headwater/domain/WebhookSettings"
import { Schema } from "effect"
import * as ModelBatch from "./ModelBatch.ts"
import * as ModelFilter from "./ModelFilter.ts"

const below = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maximum - 1 }))

/** Which of those there are, counted round: any number names one as long as there is any. */
const Nth = below(24)

/**
 * `counter`, `unique`, `storing` and `holder` take requests, `listener` takes events and `lister` lists of them, `timer` ticks,
 * `workflow` all of them and invocations, and `keeper` invocations. `storing` and `keeper` share a data store,
 * and each `holder` has the one account over OAuth.
 */
export const Kind = Schema.Literals([
  "counter",
  "unique",
  "storing",
  "holder",
  "listener",
  "lister",
  "timer",
  "workflow",
  "keeper"
])
export type Kind = typeof Kind.Type

/** Whether all that follows from a command is waited for before the next one. */
const Settle = Schema.Boolean

const CreateSource = Schema.TaggedStruct("CreateSource", { kind: Kind })
const UpdateSource = Schema.TaggedStruct("UpdateSource", { source: Nth, active: Schema.Boolean })
const DeleteSource = Schema.TaggedStruct("DeleteSource", { source: Nth })
const CreateWebhook = Schema.TaggedStruct("CreateWebhook", {
  /** How its endpoint answers: always well, well at another attempt, or at times in ways that put the webhook off. */
  manner: Schema.Literals(["steady", "flaky", "moody"]),
  ordering: Ordering
})
const UpdateWebhook = Schema.TaggedStruct("UpdateWebhook", {
  webhook: Nth,
  active: Schema.Boolean,
  /** None where it stays as it is. */
  ordering: Schema.NullOr(Ordering)
})
/** A webhook goes on with what is emitted from now on. */
const ResumeFromNow = Schema.TaggedStruct("ResumeFromNow", { webhook: Nth })
/** Something is done with all that is pending at a webhook, or all that it has passed is sent again. */
const Bulk = Schema.TaggedStruct("Bulk", {
  webhook: Nth,
  action: Schema.Literals(["retry", "replay", "skip", "cancel"]),
  /** After how many milliseconds, in real time, the engine is cut off; none where it is not. */
  cut: Schema.NullOr(below(120))
})
const DeleteWebhook = Schema.TaggedStruct("DeleteWebhook", { webhook: Nth })
const Filter = Schema.Literals(ModelFilter.names)
const Batch = Schema.Literals(ModelBatch.names)
const Subscribe = Schema.TaggedStruct("Subscribe", {
  /** None for a glob over all sources. */
  emitter: Schema.NullOr(Nth),
  listener: Nth,
  /** Of a webhook; all others listen to the default stream. */
  stream: Schema.Literals(["", "default", "$errors"]),
  filter: Schema.NullOr(Filter),
  batch: Schema.NullOr(Batch)
})
const Refilter = Schema.TaggedStruct("Refilter", { subscription: Nth, filter: Schema.NullOr(Filter) })
const Rebatch = Schema.TaggedStruct("Rebatch", { subscription: Nth, batch: Schema.NullOr(Batch) })
const Unsubscribe = Schema.TaggedStruct("Unsubscribe", { subscription: Nth })
const CreateConsumer = Schema.TaggedStruct("CreateConsumer", {
  emitter: Schema.NullOr(Nth),
  stream: Schema.Literals(["", "$errors"]),
  filter: Schema.NullOr(Filter),
  start: Schema.Literals(["beginning", "end"])
})
const Consume = Schema.TaggedStruct("Consume", {
  consumer: Nth,
  max: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
  /** Whether the reader has lost its lease, and what it read. */
  lost: Schema.Boolean,
  commits: Schema.Literals(["nothing", "some", "everything"])
})
/** What was read last is committed after all. */
const CommitLate = Schema.TaggedStruct("CommitLate", { consumer: Nth })
const Seek = Schema.TaggedStruct("Seek", { consumer: Nth, to: Schema.Literals(["beginning", "end"]) })
const DeleteConsumer = Schema.TaggedStruct("DeleteConsumer", { consumer: Nth })
const Post = Schema.TaggedStruct("Post", {
  source: Nth,
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  fail: below(4),
  /** Seconds after which each request's run emits once more; 0 for not. */
  later: Schema.Literals([0, 0, 0, 30, 3_600]),
  /** What a `unique` source lets through once. */
  id: below(5),
  settle: Settle
})
const Invoke = Schema.TaggedStruct("Invoke", {
  workflow: Nth,
  times: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  settle: Settle
})
/** One of the runs of a workflow that wait is to go on. */
const ResumeRun = Schema.TaggedStruct("ResumeRun", { workflow: Nth, run: Nth, settle: Settle })
/** One of those is to end. */
const CancelRun = Schema.TaggedStruct("CancelRun", { workflow: Nth, run: Nth, settle: Settle })
const DeleteEvents = Schema.TaggedStruct("DeleteEvents", {
  source: Nth,
  /** Of the events there are, in hundredths. */
  from: below(101),
  to: below(101)
})
const Advance = Schema.TaggedStruct("Advance", {
  seconds: Schema.Literals([1, 7, 61, 400, 2_000, 9_000]),
  settle: Settle
})
const StepBack = Schema.TaggedStruct("StepBack", {
  seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
})
const Restart = Schema.TaggedStruct("Restart", {
  /** Whether the engine is told to stop first, or cut off in the middle. */
  drain: Schema.Boolean,
  /** How long what is under way goes on before, in real time and in milliseconds. */
  after: below(120)
})

/** One thing that a client, the clock or an operator does. */
export const Command = Schema.Union([
  Post,
  Post,
  Post,
  Invoke,
  Invoke,
  ResumeRun,
  CancelRun,
  Advance,
  Advance,
  Subscribe,
  Subscribe,
  Refilter,
  Rebatch,
  CreateSource,
  UpdateSource,
  DeleteEvents,
  DeleteEvents,
  CreateWebhook,
  UpdateWebhook,
  ResumeFromNow,
  Bulk,
  Bulk,
  Unsubscribe,
  DeleteSource,
  DeleteWebhook,
  CreateConsumer,
  Consume,
  Consume,
  Consume,
  CommitLate,
  Seek,
  DeleteConsumer,
  StepBack,
  Restart,
  Restart
])
export type Command = typeof Command.Type

export const Commands = Schema.Array(Command)
