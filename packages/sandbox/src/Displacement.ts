import type { SandboxProcess } from "./SandboxProcess.ts"

/** A process works for its account at least this long before it is taken away for another. */
const leastTurnMillis = 1_000

/**
 * The process that another account gets the place of: one of the account that has the most, and of those the one that has
 * been busy for longest. Work that was cut off in this way before is left alone, so that it comes to its end.
 */
export const toDisplace = (processes: Iterable<SandboxProcess>, now: number): SandboxProcess | undefined => {
  const held = new Map<string | undefined, number>()
  for (const { accountId } of processes) held.set(accountId, (held.get(accountId) ?? 0) + 1)
  const heldBy = ({ accountId }: SandboxProcess) => held.get(accountId) ?? 0
  const [first] = [...processes]
    .filter((process) => process.displaceable && now - process.busySince >= leastTurnMillis)
    .sort((left, right) => heldBy(right) - heldBy(left) || left.busySince - right.busySince)
  return first
}

/** The process that takes the most memory. */
export const largest = (processes: Iterable<SandboxProcess>): SandboxProcess | undefined => {
  const [first] = [...processes]
    .filter((process) => !process.over && process.accountId !== undefined)
    .sort((left, right) => right.usage.privateMebibytes - left.usage.privateMebibytes)
  return first
}
