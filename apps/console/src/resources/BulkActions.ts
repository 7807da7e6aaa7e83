import type { BulkActionResource } from "@headwater/api/BulkActionsApi"
import { get, type Page, post, put, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"

export type { BulkActionResource }

export type Action = BulkActionResource["action"]

/** The verb and the meaning of each action, for use before and after the number of deliveries or runs. */
export const actions: Readonly<Record<Action, { readonly verb: string; readonly meaning: string }>> = {
  retry: { verb: "Retry", meaning: "Attempts each one once more, in order. If that fails, it stays as it was." },
  replay: { verb: "Replay", meaning: "Sends the events again, as new deliveries without retries." },
  skip: { verb: "Skip", meaning: "Drops the pending ones. You can retry them later." },
  cancel: { verb: "Give up", meaning: "Stops retrying the pending ones: they count as exhausted." },
  rerun: { verb: "Run again", meaning: "Starts a new run for each, in their original order." },
  cancel_runs: { verb: "Cancel", meaning: "Ends the unfinished ones. What their steps have done stays done." }
}

/** The actions over deliveries, and those over runs. */
export const ofDeliveries: ReadonlyArray<Action> = ["retry", "replay", "skip", "cancel"]
export const ofRuns: ReadonlyArray<Action> = ["rerun", "cancel_runs"]

export const begin = async (
  action: Action,
  filter: Readonly<Record<string, string | number>>,
  options: {
    readonly dry_run?: boolean
    readonly rate_limit?: number
    readonly rerun?: NonNullable<BulkActionResource["rerun"]>
  }
): Promise<BulkActionResource> =>
  (await post<Single<BulkActionResource>>(["bulk_actions"], { body: { action, filter, ...options } })).data

export const one = async (id: string, signal?: AbortSignal): Promise<BulkActionResource> =>
  (await get<Single<BulkActionResource>>(["bulk_actions", id], signal === undefined ? {} : { signal })).data

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<BulkActionResource>> =>
  get(["bulk_actions"], { query: { limit: pageSize, after }, signal })

export const control = (id: string, how: "pause" | "resume" | "cancel"): Promise<unknown> =>
  post(["bulk_actions", id, how])

export const setRate = (id: string, rate_limit: number): Promise<unknown> =>
  put(["bulk_actions", id], { body: { rate_limit } })

export const hasEnded = ({ state }: BulkActionResource): boolean => state === "done" || state === "cancelled"
