import { type Component, interfaceTypes } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as ExactJson from "@headwater/domain/ExactJson"
import * as HttpTrigger from "@headwater/domain/HttpTrigger"
import { declaredProps, type Program } from "@headwater/domain/Program"
import { expand } from "@headwater/domain/RequestEventBody"
import * as Timer from "@headwater/domain/Timer"
import type { RunCall } from "@headwater/sandbox/Run"
import { Effect, Schema } from "effect"
import { endpointUrl } from "../ground/EngineConfig.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import type { ProgramInput } from "./ProgramInput.ts"

/** The triggers that code is tried over: the kinds of input that it has, and its hooks. */
export const TrialTrigger = Schema.Literals(["http", "timer", "event", "deploy", "activate", "deactivate"])
export type TrialTrigger = typeof TrialTrigger.Type

/** The trigger is one that the code has nothing for. */
export class TrialRefused extends Schema.TaggedError<TrialRefused>()("TrialRefused", {
  path: Schema.String,
  message: Schema.String
}) {}

/** Over what code is to be tried. */
export interface TrialSample {
  /** The default is what reaches the code by its props, an HTTP interface first. */
  readonly trigger: TrialTrigger | undefined
  /** JSON that is given to the code, also as `ExactJson` reads it. */
  readonly event: Schema.Json | undefined
  /** An event of a log, in place of a sample. */
  readonly stored: LoggedEvent | undefined
  /** The time at which the input came about, in Unix milliseconds; the present if left out. */
  readonly at: number | undefined
}

const hooks: ReadonlySet<TrialTrigger> = new Set(["deploy", "activate", "deactivate"])

const kinds = { http: "HTTP", timer: "TIMER", event: "EVENT" } as const

type Hook = Extract<RunCall, { readonly _tag: "Hook" }>["hook"]

export const isHook = (trigger: TrialTrigger): trigger is Hook => hooks.has(trigger)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const ofRequest = ["method", "path", "query", "headers", "body", "bodyRaw", "bodyBase64"]

const isBase64 = (value: unknown): boolean =>
  typeof value === "string" && Buffer.from(value, "base64").toString("base64") === value

/** A request as code sees it. A sample that has nothing of one is its body. */
const requestEvent = (sample: unknown, url: string): Record<string, unknown> => {
  const given = isObject(sample) && ofRequest.some((name) => name in sample)
    ? sample
    : sample === undefined
    ? {}
    : { body: sample }
  const { body, ...rest } = given as Readonly<Record<string, unknown>>
  const isText = typeof body === "string"
  const hasBody = body !== undefined || rest["bodyRaw"] !== undefined || rest["bodyBase64"] !== undefined
  return {
    method: hasBody ? "POST" : "GET",
    path: "/",
    query: {},
    headers: body === undefined ? {} : { "content-type": isText ? "text/plain" : "application/json" },
    ...(body === undefined ? {} : { body }),
    // A body that is given as bytes has its text by them.
    ...(body === undefined || rest["bodyBase64"] !== undefined
      ? {}
      : { bodyRaw: isText ? body : JSON.stringify(body) }),
    client_ip: "127.0.0.1",
    url,
    ...rest
  }
}

/** The input that the code is tried over, as it would come to the program. */
export const make = (
  { at, event, stored, trigger: asked }: TrialSample,
  component: Component,
  program: Program,
  publicUrl: string,
  now: number
): Effect.Effect<{ readonly trigger: TrialTrigger; readonly input: ProgramInput }, TrialRefused> => {
  const declared = declaredProps(component, program)
  const has = (...types: ReadonlyArray<string>) => declared.some(({ type }) => types.includes(type))
  const isAnswering = has(interfaceTypes.http, interfaceTypes.apphook)
  const [timer] = Object.entries(program.timers)
  const byProps = isAnswering ? "http" : timer === undefined ? "event" : "timer"
  const trigger = asked ?? (stored === undefined ? byProps : "event")
  const refuse = (path: string, message: string) => Effect.fail(new TrialRefused({ path, message }))
  const input = (eventJson: string): ProgramInput => ({
    kind: isHook(trigger) ? "HOOK" : kinds[trigger],
    eventJson,
    id: EmitId.make(),
    at: at ?? now,
    hops: 0,
    take: () => ({})
  })
  const answer = (input: ProgramInput) => Effect.succeed({ trigger, input })
  if (stored !== undefined) {
    if (trigger !== "event") return refuse("trigger", "an event of a log is no other input: leave trigger out")
    if (event !== undefined) return refuse("event", "give either an event of your own or one of a log")
    const batch = EventBatch.make([stored])
    return answer({
      ...input(component.batch === null ? stored.payload : EventBatch.body(batch)),
      id: component.batch === null ? stored.emitId : batch.id,
      at: at ?? EventId.milliseconds(stored.id),
      hops: stored.hops,
      from: { emitterId: stored.emitterId, stream: stored.stream },
      cause: { emitterId: stored.emitterId, id: stored.id }
    })
  }
  if (isHook(trigger)) {
    return component.hooks.includes(trigger)
      ? answer(input(JSON.stringify({ hook: trigger })))
      : refuse("trigger", `the code has no ${trigger} hook`)
  }
  if (trigger === "http") {
    if (!isAnswering) return refuse("trigger", "the code has no HTTP interface: no prop is $.interface.http")
    if (isObject(event) && event["bodyBase64"] !== undefined && !isBase64(event["bodyBase64"])) {
      return refuse("event.bodyBase64", "is not base64")
    }
    const url = endpointUrl(publicUrl, program.endpointKey ?? "")
    const whole = JSON.stringify(expand(requestEvent(event, url), ExactJson.parse))
    const settings = HttpTrigger.of(declared, program.props)
    return settings === undefined || settings.event === "whole"
      ? answer(input(whole))
      : answer({ ...input(HttpTrigger.eventJson(settings, whole)), isShaped: true })
  }
  if (trigger === "timer") {
    if (timer === undefined) return refuse("trigger", "the code has no timer with a value")
    return answer(input(JSON.stringify(event ?? Timer.tickEvent(timer[1], at ?? now))))
  }
  return answer(input(JSON.stringify(event ?? {})))
}
