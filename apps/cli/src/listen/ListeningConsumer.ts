/** The place in the log at which `listen` is: a consumer that stays when the command ends. */
import type { ConsumerResource, Place } from "@headwater/api/ConsumersApi"
import type { EventSummary } from "@headwater/api/EventsApi"
import * as ExactJson from "@headwater/domain/ExactJson"
import * as StreamName from "@headwater/domain/Stream"
import { Effect, type Schema } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"
import * as ApiGroup from "../resource/ApiGroup.ts"

/** The events that are heard. */
export interface Heard {
  /** An id, or a glob. */
  readonly emitter: string
  readonly stream: string
  readonly filter: { readonly [field: string]: Schema.Json } | undefined
}

/** A reader that says nothing for so long has ended without saying so. */
const leaseSeconds = 30

const waitSeconds = 15

const nameOf = ({ emitter, filter, stream }: Heard): string =>
  ["listen", emitter, StreamName.spelled(stream), ...(filter === undefined ? [] : [JSON.stringify(filter)])]
    .join(" ")

/** The consumer of an earlier time, else a new one. */
export const make = Effect.fnUntraced(function*(heard: Heard, from: Place | undefined) {
  const { call } = yield* ApiAccess
  const name = nameOf(heard)
  const known = (yield* ApiGroup.list("consumers")).find((consumer) => consumer["name"] === name)
  if (known === undefined) {
    const { data } = yield* call(({ consumers }) =>
      consumers.create({
        headers: {},
        payload: {
          name,
          emitter_id: heard.emitter,
          event_name: heard.stream,
          start: from ?? "end",
          lease_seconds: leaseSeconds,
          ...(heard.filter === undefined ? {} : { filter: heard.filter })
        }
      })
    )
    return { consumer: data, isNew: true }
  }
  if (from !== undefined) {
    yield* call(({ consumers }) => consumers.seek({ headers: {}, params: { id: known.id }, payload: { to: from } }))
  }
  return { consumer: known as unknown as ConsumerResource, isNew: false }
})

/**
 * Takes each event behind the place, in order, and then counts it as read. Goes on until it is interrupted or refused.
 *
 * @param told of what keeps it waiting
 * @param committed run after each event that counts as read
 */
export const follow = <E, R>(
  { id }: ConsumerResource,
  take: (event: EventSummary) => Effect.Effect<void, E, R>,
  told: (why: string) => Effect.Effect<void>,
  committed: Effect.Effect<unknown>
) =>
  Effect.gen(function*() {
    const { call } = yield* ApiAccess
    let lease: string | undefined
    let isTold = false

    const wait = (why: string) =>
      Effect.suspend(() => {
        if (isTold) return Effect.void
        isTold = true
        return told(why)
      })

    const read = call(({ consumers }) =>
      Effect.gen(function*() {
        const [answer, response] = yield* consumers.events({
          params: { id },
          query: { max: 20, wait: waitSeconds, ...(lease === undefined ? {} : { lease }) },
          responseMode: "decoded-and-response"
        })
        // With the numbers as they were emitted.
        const { data } = ExactJson.parse(yield* response.text) as { readonly data: ReadonlyArray<EventSummary> }
        return { lease: answer.lease, data }
      })
    ).pipe(
      Effect.tapError((error) => PassingFailure.is(error) ? wait(`${error.message}. Trying again`) : Effect.void),
      PassingFailure.retry,
      Effect.catchTags({
        LeaseHeldProblem: () =>
          Effect.as(
            Effect.andThen(wait("Another one reads here. Waiting until it ends"), Effect.sleep("1 second")),
            undefined
          ),
        LeaseLostProblem: () => Effect.sync(() => void (lease = undefined))
      })
    )

    const commit = (positions: Readonly<Record<string, string>>, release: boolean) =>
      Effect.suspend(() =>
        lease === undefined
          ? Effect.void
          : call(({ consumers }) =>
            consumers.commit({ headers: {}, params: { id }, payload: { lease: lease!, positions, release } })
          ).pipe(PassingFailure.retry, Effect.asVoid)
      )

    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(commit({}, true), "2 seconds")))

    return yield* Effect.forever(Effect.gen(function*() {
      const found = yield* read
      if (found === undefined) return
      isTold = false
      lease = found.lease?.id ?? lease
      for (const event of found.data) {
        yield* take(event)
        // One who took over has the same place.
        yield* commit({ [event.metadata.emitter_id]: event.id }, false).pipe(
          Effect.catchTag("LeaseLostProblem", () => Effect.sync(() => void (lease = undefined)))
        )
        yield* committed
      }
    }))
  }).pipe(Effect.scoped)
