import { useLoading } from "../api/Loading.ts"
import type { LastRun } from "../resources/Outcome.ts"
import { Badge, StateBadge } from "./Badge.tsx"
import { Ago } from "./Time.tsx"

const pollMs = 10_000

const held = "It runs in shadow: everything it sends is held back"

interface Program {
  readonly active: boolean
  readonly shadow?: boolean
}

export const stateOf = ({ active, shadow }: Program) => !active ? "paused" : shadow === true ? "shadow" : "active"

/** Says whether a source or workflow is active, and whether it sends what it would. */
export const Activity = ({ of }: { readonly of: Program }) => {
  const state = stateOf(of)
  return (
    <Badge
      tone={state === "active" ? "good" : "waiting"}
      text={state}
      {...(state === "shadow" ? { title: held } : {})}
    />
  )
}

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
  if (lastRun === undefined) return <span class="note">no activity yet</span>
  return (
    <span class="health">
      <StateBadge state={lastRun.isFailed ? "error" : "success"} /> <Ago ms={lastRun.atMs} />
    </span>
  )
}
