import type { AuditResource } from "@headwater/api/AuditApi"
import { get, type Page } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"

export type { AuditResource }

/** All given conditions must hold. */
export interface AuditFilter {
  readonly key: string
  readonly session: string
  readonly operation: string
  /** Unix time in milliseconds. */
  readonly from: number | undefined
  readonly to: number | undefined
}

const secondsOf = (ms: number | undefined): number | undefined => ms === undefined ? undefined : Math.floor(ms / 1_000)

export const list = (
  { from, to, ...filter }: AuditFilter,
  after: string | undefined,
  signal: AbortSignal
): Promise<Page<AuditResource>> =>
  get(["audit"], { query: { ...filter, from: secondsOf(from), to: secondsOf(to), limit: pageSize, after }, signal })
