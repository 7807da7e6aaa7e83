import type { SandboxConfig } from "./SandboxConfig.ts"
import { type SandboxProcess, wornOutCpuMillis } from "./SandboxProcess.ts"

/**
 * A silent process holds up everything in it, so what shares it with the culprit is moved elsewhere after this long.
 * Longer than a component may plausibly compute in one go, because moving a run repeats what it did outside.
 */
const moveNeighboursMillis = 5_000

/** Resident memory a process may have beside its heap: the executable, code, buffers outside the heap. */
const besideHeapMebibytes = 192

/** A process without work that still uses this much of a processor is made to stop, as a share. */
const idleCpuShare = 0.5

/** Looks after one process, a few times a second: its memory, its silence, and the limits of the work it has. */
export const watchProcess = (process: SandboxProcess, now: number, config: SandboxConfig["Service"]): void => {
  if (process.over || !process.ready) return
  const sinceLast = now - process.watchedAt
  process.watchedAt = now
  const used = process.measure()
  if (process.usage.residentMebibytes > config.limits.heapMebibytes + besideHeapMebibytes) {
    return process.kill({ reason: "memory", message: "The process used more memory than a run may" })
  }
  if (process.assignments.size === 0) return watchIdle(process, now, used > sinceLast * idleCpuShare, config)
  process.busyWhileIdle = 0
  if (isWornOut(process, now, config)) process.closed = true
  if (process.assignments.size > 1 && process.silentMillis > moveNeighboursMillis) {
    return process.kill({ reason: "silence", message: "The process did not answer" })
  }
  for (const assignment of process.assignments.values()) assignment.watch(now)
  if (!process.over) process.ping()
}

const isWornOut = (process: SandboxProcess, now: number, config: SandboxConfig["Service"]): boolean =>
  now - process.startedAt > config.pool.maxAgeMillis || process.usage.cpuMs > wornOutCpuMillis

const watchIdle = (process: SandboxProcess, now: number, busy: boolean, config: SandboxConfig["Service"]): void => {
  process.busyWhileIdle = busy ? process.busyWhileIdle + 1 : 0
  if (process.accountId === undefined) return
  const { idleMebibytes, idleMillis } = config.pool
  if (
    process.closed ||
    process.busyWhileIdle > 3 ||
    now - process.idleSince > idleMillis ||
    isWornOut(process, now, config) ||
    process.usage.residentMebibytes > idleMebibytes
  ) process.kill({ reason: "shutdown", message: "Evicted" })
}
