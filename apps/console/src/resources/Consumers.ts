import type { ConsumerPosition, ConsumerResource } from "@headwater/api/ConsumersApi"
import { get, type Page, post, remove, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"
import type { Values } from "./Props.ts"

export type { ConsumerPosition, ConsumerResource }

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<ConsumerResource>> =>
  get(["consumers"], { query: { limit: pageSize, after }, signal })

export const one = async (id: string, signal: AbortSignal): Promise<ConsumerResource> =>
  (await get<Single<ConsumerResource>>(["consumers", id], { signal })).data

/** The places of a consumer in the logs of its emitters, of the first hundred. */
export const positions = (id: string, signal: AbortSignal): Promise<Page<ConsumerPosition>> =>
  get(["consumers", id, "positions"], { query: { limit: pageSize }, signal })

/** A place is an id of an event, a word, or a time, which is a number. */
const placed = (name: "start" | "to", body: Values): Values => {
  const text = String(body[name] ?? "")
  return /^\d+$/.test(text) ? { ...body, [name]: Number(text) } : body
}

export const create = async (body: Values): Promise<string> =>
  (await post<Single<ConsumerResource>>(["consumers"], { body: placed("start", body) })).data.id

/** Moves a consumer: it reads on from there. */
export const seek = (id: string, body: Values): Promise<unknown> =>
  post(["consumers", id, "seek"], { body: placed("to", body) })

export const drop = (id: string): Promise<void> => remove(["consumers", id])
