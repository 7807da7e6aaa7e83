import { useLoading } from "../api/Loading.ts"
import type { LastRun } from "../resources/Outcome.ts"
import { Badge } from "./Badge.tsx"
import { Ago } from "./Time.tsx"

const pollMs = 10_000

/** Says whether a source or workflow is active. */
export const Activity = ({ active }: { readonly active: boolean }) =>
  active ? <Badge tone="good" text="active" /> : <Badge tone="waiting" text="paused" />

/** The outcome and the time of the last run that left a trace. */
export const Health = ({ id, read }: {
  readonly id: string
  readonly read: (id: string, signal: AbortSignal) => Promise<LastRun | undefined>
}) => {
  const loading = useLoading(
    id,
    async (signal) => ({ lastRun: await read(id, signal) }),
    { everyMs: pollMs }
  )
  const loaded = loading.loaded.value
  if (loaded.state === "loading") return <span class="note">…</span>
  if (loaded.state === "failed") return <span class="note" title={loaded.failure.message}>unknown</span>
  const { lastRun } = loaded.value
  if (lastRun === undefined) return <span class="note">no trace yet</span>
  return (
    <span class="health">
      {lastRun.isFailed ? <Badge tone="bad" text="failing" /> : <Badge tone="good" text="ok" />}{" "}
      <Ago ms={lastRun.atMs} />
    </span>
  )
}
