import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as RealTime from "@headwater/domain/RealTime"
import { EgressHttp, type EgressHttpEnding } from "@headwater/egress/EgressHttp"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Programs } from "@headwater/log/resources/Programs"
import { Clock, Effect, Option, Result } from "effect"
import { promisify } from "node:util"
import * as Zlib from "node:zlib"
import { Environments } from "../ground/Environments.ts"
import * as SignedRequest from "../ground/SignedRequest.ts"
import * as AttemptRecord from "./AttemptRecord.ts"
import type { AttemptRequest, AttemptResult } from "./AttemptRecord.ts"
import * as DeliveryOutcome from "./DeliveryOutcome.ts"
import { EchoedSecrets } from "./EchoedSecrets.ts"
import * as OutgoingLine from "./OutgoingLine.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

const gzip = promisify(Zlib.gzip)

/** An object that is to be written. */
interface NewObject {
  readonly bucket: string
  readonly prefix: string
  readonly lines: ReadonlyArray<string>
}

/** An object for each bucket and prefix, with the payloads in the order of the log. */
const objectsOf = (events: ReadonlyArray<LoggedEvent>): ReadonlyArray<NewObject> => {
  const lines = events.flatMap(({ payload }) => Option.toArray(OutgoingLine.parse(payload)).map(({ s3 }) => s3))
  const places = Map.groupBy(lines, ({ bucket, prefix }) => `${bucket}/${prefix}`)
  return [...places.values()].map((those) => ({
    bucket: those[0]!.bucket,
    prefix: those[0]!.prefix,
    lines: those.map(({ payload }) => JSON.stringify(payload))
  }))
}

/** The key of an object, which is the same in each attempt. */
const keyOf = ({ prefix }: NewObject, { batch, event }: AttemptRequest): string => {
  const time = new Date(EventId.milliseconds(batch?.events[0]?.id ?? event.id)).toISOString()
  const [, date, hour, rest] = /^(.*)T(\d\d):(.*)\.\d+Z$/.exec(time)!
  const name = `${date}-${hour}-${rest!.replace(":", "-")}-${batch?.id ?? event.emitId}.gz`
  return [prefix, date!.replaceAll("-", "/"), hour, name].filter((part) => part !== "").join("/")
}

/** By the names that the tools of object storage know. */
const accessOf = (variables: Readonly<Record<string, string>>): SignedRequest.ObjectAccess | undefined => {
  const { AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = variables
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined
  const region = AWS_REGION || "us-east-1"
  return {
    endpoint: (AWS_ENDPOINT_URL_S3 || `https://s3.${region}.amazonaws.com`).replace(/\/+$/, ""),
    region,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {})
  }
}

const notSet: DeliveryOutcome.DeliveryOutcome = {
  _tag: "Failed",
  errorClass: "no_credentials",
  message:
    "the workflow, its project and its account have no environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
}

const unsignable = (reason: string): DeliveryOutcome.DeliveryOutcome => ({
  _tag: "Failed",
  errorClass: "request",
  message: `the request can't be made with the environment variables AWS_…: ${reason}`
})

/** All objects have one endpoint: where it is away, each of the others would wait as long. */
const isAway = (answer: EgressHttpEnding): boolean =>
  Result.isFailure(answer) && ["dns", "connect", "timeout"].includes(answer.failure.reason)

const isDelivered = (answer: EgressHttpEnding): boolean =>
  Result.isSuccess(answer) && answer.success.status >= 200 && answer.success.status < 300

/** Writes payloads into objects of a bucket. Calls back once, after it has returned, unless it is cancelled. */
export type ObjectSend = (
  memory: WebhookMemory,
  attempt: AttemptRequest,
  onResult: (result: AttemptResult) => void
) => { readonly cancel: () => void }

export const make: Effect.Effect<ObjectSend, never, EgressHttp | Environments | Programs> = Effect.gen(function*() {
  const clock = yield* Clock.Clock
  const environments = yield* Environments
  const http = yield* EgressHttp
  const programs = yield* Programs
  const runFork = Effect.runForkWith(yield* Effect.context<never>())

  const put = Effect.fnUntraced(function*(
    { webhook }: WebhookMemory,
    attempt: AttemptRequest,
    object: NewObject,
    access: SignedRequest.ObjectAccess
  ) {
    const body = yield* Effect.promise(() => gzip(object.lines.map((line) => `${line}\n`).join("")))
    const signed = yield* Effect.mapError(
      SignedRequest.make(access, {
        method: "PUT",
        bucket: object.bucket,
        key: keyOf(object, attempt),
        headers: { "content-type": "application/gzip" },
        body
      }, RealTime.of(clock).currentTimeMillisUnsafe()),
      unsignable
    )
    const answer = yield* Effect.result(http.request({
      asker: { accountId: webhook.accountId, use: "delivery", programId: webhook.workflowId ?? undefined },
      ...signed,
      body,
      timeoutMillis: webhook.settings.timeoutMs,
      maxBodyBytes: AttemptRecord.keptOfFailure
    }))
    const secrets = EchoedSecrets.of(signed.url, signed.headers)
    return Result.map(answer, (response) => ({
      ...response,
      headers: secrets.headers(response.headers),
      body: secrets.body(response.body, response.bodyTruncated)
    }))
  })

  /** The answer to the last object, or to the first that was not taken, which keeps no other from being written. */
  const putAll = Effect.fnUntraced(function*(memory: WebhookMemory, attempt: AttemptRequest) {
    const { accountId, workflowId } = memory.webhook
    const workflow = yield* untilAnswered(programs.getById(workflowId!))
    const projectId = Option.match(workflow, { onNone: () => null, onSome: (found) => found.projectId })
    const { values } = yield* environments.of({ id: workflowId!, accountId, projectId })
    const access = accessOf(values)
    if (access === undefined) return yield* Effect.fail(notSet)
    const answers: Array<EgressHttpEnding> = []
    for (const object of objectsOf(attempt.batch?.events ?? [attempt.event])) {
      const answer = yield* put(memory, attempt, object, access)
      answers.push(answer)
      if (isAway(answer)) break
    }
    return answers.find((answer) => !isDelivered(answer)) ?? answers.at(-1)
  })

  return (memory, attempt, onResult) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    const beganAt = RealTime.elapsedUnsafe(clock)
    const resultOf = (outcome: DeliveryOutcome.DeliveryOutcome, answer: EgressHttpEnding | undefined) => {
      const endedAt = clock.currentTimeMillisUnsafe()
      const durationMs = Math.round(RealTime.elapsedUnsafe(clock) - beganAt)
      return AttemptRecord.make(memory, attempt, outcome, null, startedAt, endedAt, durationMs, answer)
    }
    const sending = putAll(memory, attempt).pipe(
      Effect.map((answer) => resultOf(DeliveryOutcome.ofEnding(answer, clock.currentTimeMillisUnsafe()), answer)),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("Objects could not be sent", defect), Effect.fail(DeliveryOutcome.internal))
      ),
      Effect.catch((outcome) => Effect.succeed(resultOf(outcome, undefined)))
    )
    // It calls back after it has returned, also where nothing is waited for.
    const fiber = runFork(Effect.andThen(Effect.yieldNow, Effect.map(sending, onResult)))
    return { cancel: () => fiber.interruptUnsafe() }
  }
})
