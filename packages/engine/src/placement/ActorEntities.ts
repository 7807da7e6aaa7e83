import { Lease } from "@headwater/domain/Consumer"
import { LoggedEvent, RequestKind } from "@headwater/domain/Event"
import * as Id from "@headwater/domain/Id"
import { Program } from "@headwater/domain/Program"
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  Cancellation,
  EventRange,
  HookFailed,
  ProgramNotFound,
  Reopening,
  Resumption,
  ResumptionRequest,
  WaitPlace,
  WebhookNotFound
} from "../ground/ActorCalls.ts"
import {
  BadPosition,
  CommitRequest,
  ConsumerNotFound,
  ConsumerPage,
  LeaseHeld,
  LeaseLost,
  ReadRequest,
  SeekRequest
} from "../ground/ConsumerRequests.ts"
import { BacklogFull, EndpointNotFound, HttpReply, NotAnswered, TokenRefused } from "../ground/HttpExchange.ts"
import { TestedAttempt } from "../ground/TestedAttempt.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"

/** Nodes speak a binary format that knows no unions of shapes without a tag, of which a program has some. */
const ProgramText = Schema.fromJsonString(Schema.toCodecJson(Program))

const changeError = Schema.Union([HookFailed, ProgramNotFound, Unavailable])

// Every call is volatile: the log has everything that must survive, and a persisted mailbox would only write it a
// second time. None is interrupted once it is running, since its caller's going away does not undo what it has begun;
// but for the rest of an actor that was woken, which ends when it is to leave the node.
const WakeRpc = Rpc.make("Wake", { payload: Wake.Wake })
  .annotate(ClusterSchema.Uninterruptible, false)
  .annotate(ClusterSchema.InterruptOnTermination, true)

export const ProgramEntity = Entity.make("Program", [
  Rpc.make("Ingest", {
    payload: {
      endpointKey: Schema.NullOr(Schema.String),
      kind: Schema.optionalKey(RequestKind),
      emitId: Schema.String,
      payload: Schema.String,
      hops: Schema.Int,
      authorization: Schema.optionalKey(Schema.String),
      isTest: Schema.optionalKey(Schema.Boolean),
      unstored: Schema.optionalKey(Schema.Array(Schema.String)),
      rerunOf: Schema.optionalKey(Schema.String)
    },
    success: HttpReply,
    error: Schema.Union([BacklogFull, EndpointNotFound, NotAnswered, TokenRefused, Unavailable])
  }),
  WakeRpc,
  Rpc.make("Deploy", {
    payload: { emits: Schema.Boolean, polledAt: Schema.optionalKey(Schema.Int) },
    error: changeError
  }),
  Rpc.make("Update", { payload: { program: ProgramText }, error: changeError }),
  Rpc.make("Retire", { error: Schema.Union([ProgramNotFound, Unavailable]) }),
  Rpc.make("DeleteEvents", { payload: EventRange, error: Schema.Union([ProgramNotFound, Unavailable]) }),
  Rpc.make("CancelRun", {
    payload: { id: Id.RunId, n: Schema.optionalKey(Schema.Int), path: WaitPlace.fields.path },
    success: Cancellation,
    error: Schema.Union([ProgramNotFound, Unavailable])
  }),
  Rpc.make("ResumeRun", {
    payload: ResumptionRequest,
    success: Resumption,
    error: Schema.Union([ProgramNotFound, Unavailable])
  }),
  Rpc.make("Forget", { payload: { subscriptionId: Schema.String } }),
  Rpc.make("Refilter", { payload: { subscriptionId: Id.SubscriptionId } })
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

const webhookError = Schema.Union([Unavailable, WebhookNotFound])

export const WebhookEntity = Entity.make("Webhook", [
  WakeRpc,
  Rpc.make("Changed"),
  Rpc.make("Reopen", { payload: { deliveryId: Id.DeliveryId }, success: Reopening, error: webhookError }),
  Rpc.make("Skip", { payload: { deliveryId: Id.DeliveryId }, error: webhookError }),
  Rpc.make("Test", { payload: LoggedEvent, success: TestedAttempt, error: webhookError }),
  Rpc.make("PassAll", { error: webhookError }),
  Rpc.make("Retire"),
  Rpc.make("Forget", { payload: { subscriptionId: Schema.String } }),
  Rpc.make("Refilter", { payload: { subscriptionId: Id.SubscriptionId } })
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

export const ConsumerEntity = Entity.make("Consumer", [
  WakeRpc,
  Rpc.make("Read", {
    payload: ReadRequest,
    success: ConsumerPage,
    error: Schema.Union([ConsumerNotFound, LeaseHeld, LeaseLost, Unavailable])
  }).annotate(ClusterSchema.Uninterruptible, false).annotate(ClusterSchema.InterruptOnTermination, true),
  Rpc.make("Commit", {
    payload: CommitRequest,
    success: Schema.NullOr(Lease),
    error: Schema.Union([BadPosition, ConsumerNotFound, LeaseLost, Unavailable])
  }),
  Rpc.make("Seek", { payload: SeekRequest, error: Schema.Union([ConsumerNotFound, Unavailable]) }),
  Rpc.make("Retire")
]).annotateRpcs(ClusterSchema.Uninterruptible, true)

export const AccountEntity = Entity.make("Account", [
  WakeRpc
]).annotateRpcs(ClusterSchema.Uninterruptible, true)
