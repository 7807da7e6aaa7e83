import * as EndpointUrl from "../resource/EndpointUrl.ts"
/** The URLs at which workflows that were moved took requests, and take them now. */
import * as Output from "../text/Output.ts"
import type { Standing } from "./Finishing.ts"

export interface MovedEndpoint {
  /** The id of the trigger there. */
  readonly trigger: string
  /** Null where nobody has said it. */
  readonly old_url: string | null
  /** Null where the workflow has none. */
  readonly url: string | null
}

export const of = ({ record, resource }: Pick<Standing, "record" | "resource">): ReadonlyArray<MovedEndpoint> =>
  Object.entries(record.endpoints ?? {}).map(([trigger, old_url]) => ({
    trigger,
    old_url,
    url: EndpointUrl.of(resource?.configured_props ?? {})
  }))

/** A table of old and new URLs; empty without any. */
export const linesOf = (standings: ReadonlyArray<Standing>): ReadonlyArray<string> => {
  const rows = standings.flatMap((standing) =>
    of(standing).map((
      { old_url, trigger, url }
    ) => [standing.record.name, old_url ?? `${trigger} (give its URL)`, url ?? ""])
  )
  if (rows.length === 0) return []
  const hint = rows.some(([, old]) => old!.endsWith("(give its URL)"))
    ? ["An old URL is not in a project's folder: `headwater import finish <workflow> --set hi_…=<old URL>` adds it"]
    : []
  return ["", Output.table([["Workflow", "Old URL", "New URL"], ...rows]), ...hint]
}
