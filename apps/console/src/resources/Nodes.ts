import type { NodeResource } from "@headwater/api/NodesApi"
import { get } from "../api/Api.ts"

export type { NodeResource }

/** The processes that share the server's database, the oldest first. */
export const list = async (signal: AbortSignal): Promise<ReadonlyArray<NodeResource>> =>
  (await get<{ readonly data: ReadonlyArray<NodeResource> }>(["nodes"], { signal })).data
