import { closeSync, openSync, readFileSync, readSync } from "node:fs"

/** The use of a process: processor time of all its threads, and memory. */
export interface ProcessUsage {
  readonly cpuMs: number
  readonly residentMebibytes: number
  /** Without what it shares with others, as its program is. */
  readonly privateMebibytes: number
  /** Its first thread, which runs the code, waits for something, and not for a processor. */
  readonly asleep: boolean
}

/** Linux reports processor time in ticks of 1/100 s (proc(5)). */
const millisPerTick = 10

const pagesPerMebibyte = 256

/** Takes either of the two files, which have no size of their own to make room by. */
const room = Buffer.allocUnsafe(4_096)

const read = (path: string): string => {
  const file = openSync(path, "r")
  try {
    return room.toString("latin1", 0, readSync(file, room, 0, room.length, 0))
  } finally {
    closeSync(file)
  }
}

/** Reads the usage of a process from `/proc`, or `undefined` where there is none, or the process has gone. */
export const readProcessUsage = (pid: number): ProcessUsage | undefined => {
  try {
    const stat = read(`/proc/${pid}/stat`)
    // The second field is a name in parentheses, which may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [, resident, shared] = read(`/proc/${pid}/statm`).split(" ").map(Number)
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * millisPerTick,
      residentMebibytes: (resident ?? 0) / pagesPerMebibyte,
      privateMebibytes: ((resident ?? 0) - (shared ?? 0)) / pagesPerMebibyte,
      asleep: fields[0] === "S"
    }
  } catch {
    return undefined
  }
}

/** Processor time of a process and of those that it has started, or `undefined` where it can't be read. */
export const readFamilyCpuMillis = (pid: number): number | undefined => {
  const own = readProcessUsage(pid)?.cpuMs
  if (own === undefined) return undefined
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").map(Number)
    return children.reduce((sum, child) => sum + (readProcessUsage(child)?.cpuMs ?? 0), own)
  } catch {
    return own
  }
}
