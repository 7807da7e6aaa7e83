/** The endpoints of things of one kind, which have the same names and forms for each. */
import type { HeadwaterClient } from "@headwater/api/HeadwaterClient"
import * as ListItems from "@headwater/api/ListItems"
import { Effect, type Schema, Stream } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"

type Client = HeadwaterClient["Service"]

/** A thing as the API shows it. */
export interface Thing {
  readonly id: string
  readonly [field: string]: unknown
}

export type Given = Readonly<Record<string, Schema.Json>>

interface Request {
  readonly params?: Readonly<Record<string, string>>
  readonly headers?: object
  readonly query?: Given
  readonly payload?: Given
}

type ApiError = Effect.Error<
  | ReturnType<Client["components"]["delete"]>
  | ReturnType<Client["projects"]["update"]>
  | ReturnType<Client["projects"]["delete"]>
  | ReturnType<Client["sources"]["create"]>
  | ReturnType<Client["workflowRuns"]["resume"]>
>

type Endpoint = (request: Request) => Effect.Effect<unknown, ApiError>

/** One group of the client, by the names of its endpoints. */
const groupOf = (client: Client, group: string) =>
  (client as unknown as Readonly<Record<string, Readonly<Record<string, Endpoint>>>>)[group]!

/** Makes a request, and answers with the thing in the answer. */
export const one = Effect.fnUntraced(function*(group: string, endpoint: string, request: Request) {
  const { call } = yield* ApiAccess
  const answer = yield* call((client) => groupOf(client, group)[endpoint]!(request))
  return (answer as { readonly data: Thing } | undefined)?.data
})

/** The things of a list, of which the next page is asked for when the one before is used up. */
export const list = Effect.fnUntraced(
  function*(group: string, request: Request = {}, most = Number.POSITIVE_INFINITY) {
    const { call } = yield* ApiAccess
    const limit = Math.min(most, 100)
    return yield* call((client) =>
      ListItems.items((place) => {
        const query = { limit, ...request.query, ...place } as Given
        return groupOf(client, group)["list"]!({ ...request, query }) as Effect.Effect<ListItems.Page<Thing>, ApiError>
      }).pipe(Stream.take(most), Stream.runCollect)
    )
  }
)

/** The things of a list that the API answers with whole. */
export const whole = Effect.fnUntraced(function*(group: string) {
  const { call } = yield* ApiAccess
  const answer = yield* call((client) => groupOf(client, group)["list"]!({ query: {} }))
  return (answer as { readonly data: ReadonlyArray<Thing> }).data
})
