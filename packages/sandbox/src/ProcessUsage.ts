import { readFileSync } from "node:fs"

/** What a process has used: processor time of all its threads, and resident memory. */
export interface ProcessUsage {
  readonly cpuMs: number
  readonly residentMebibytes: number
}

/** Linux reports processor time in ticks of 1/100 s (proc(5)). */
const millisPerTick = 10

/** Reads the usage of a process from `/proc`, or `undefined` where there is none, or the process has gone. */
export const readProcessUsage = (pid: number): ProcessUsage | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // The second field is a name in parentheses, which may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const ticks = Number(fields[11]) + Number(fields[12])
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))
    return { cpuMs: ticks * millisPerTick, residentMebibytes: Number(resident?.[1] ?? 0) / 1024 }
  } catch {
    return undefined
  }
}
