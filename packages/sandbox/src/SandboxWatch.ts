import type { SandboxConfig } from "./SandboxConfig.ts"
import { type SandboxProcess, wornOutCpuMillis } from "./SandboxProcess.ts"

/**
 * A silent process holds up everything in it, so what shares it with the culprit is moved elsewhere after this long.
 * Longer than a component may plausibly compute in one go, because moving a run repeats what it did outside.
 */
const moveNeighboursMillis = 5_000

/** Resident memory a process may have beside its heap: the executable, code, buffers outside the heap. */
const besideHeapMebibytes = 192

/** A process that neither answers nor works for this long is ended: what it waits for does not come from outside. */
const stuckMillis = 10_000

/** The interval at which a process without work is pinged. */
const idlePingMillis = 1_000

/** A process without work is ended once its last work has left it this much to do, in processor time. */
const maxLeftBehindMillis = 250

/** Looks after one process, a few times a second: its memory, its silence, and the limits of the work it has. */
export const watchProcess = (process: SandboxProcess, now: number, config: SandboxConfig["Service"]): void => {
  if (process.over || !process.ready) return
  process.measure()
  if (process.usage.residentMebibytes > config.limits.heapMebibytes + besideHeapMebibytes) {
    return process.kill({ reason: "memory", message: "The process exceeded the memory limit of a run" })
  }
  if (process.assignments.size === 0) return watchIdle(process, now, config)
  if (isWornOut(process, now, config)) process.closed = true
  const isSilent = process.assignments.size > 1 && process.silentMillis > moveNeighboursMillis
  if (isSilent || now - (process.stuckSince ?? now) > stuckMillis) {
    return process.kill({ reason: "silence", message: "The process did not answer" })
  }
  for (const assignment of process.assignments.values()) assignment.watch(now)
  if (!process.over) process.ping()
}

const isWornOut = (process: SandboxProcess, now: number, config: SandboxConfig["Service"]): boolean =>
  now - process.startedAt > config.pool.maxAgeMillis || process.usage.cpuMs > wornOutCpuMillis

const watchIdle = (process: SandboxProcess, now: number, config: SandboxConfig["Service"]): void => {
  if (process.accountId === undefined) return
  const { idleMebibytes, idleMillis } = config.pool
  if (
    process.closed ||
    process.leftBehindCpuMs > maxLeftBehindMillis ||
    process.silentMillis > moveNeighboursMillis ||
    now - process.idleSince > idleMillis ||
    isWornOut(process, now, config) ||
    process.usage.residentMebibytes > idleMebibytes
  ) return process.kill({ reason: "shutdown", message: "Evicted" })
  if (now - process.answeredAt > idlePingMillis) process.ping()
}
