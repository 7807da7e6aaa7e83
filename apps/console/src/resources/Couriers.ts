import type { CourierResource, NewCourierResource } from "@headwater/api/CouriersApi"
import { get, type Page, post, remove, type Single } from "../api/Api.ts"

export type { CourierResource }

/** Its address is shown only when it is made. */
export type NewCourier = typeof NewCourierResource.Type

export const list = async (signal: AbortSignal): Promise<ReadonlyArray<CourierResource>> =>
  (await get<Page<CourierResource>>(["couriers"], { query: { limit: 100 }, signal })).data

export interface Wanted {
  readonly stores: Readonly<Record<string, string>>
  readonly variables: ReadonlyArray<string>
  readonly files: boolean
}

export const create = async (wanted: Wanted): Promise<NewCourier> =>
  (await post<Single<NewCourier>>(["couriers"], { body: wanted })).data

export const drop = (id: string): Promise<void> => remove(["couriers", id])
