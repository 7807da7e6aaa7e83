/** What the processes of a server use, from `/proc` (proc(5)); zeros where there is none. */
import * as Fs from "node:fs"

export interface Usage {
  readonly cpuMs: number
  readonly residentMebibytes: number
}

interface Process extends Usage {
  readonly pid: number
  readonly parent: number
  readonly name: string
  /** Processor time of its children that have ended. */
  readonly endedChildrenMs: number
}

/** Linux reports processor time in ticks of 1/100 s. */
const millisPerTick = 10

/** A process or a thread by the path of its `stat`. */
const statOf = (path: string) => {
  const stat = Fs.readFileSync(path, "latin1")
  // The second field is a name in parentheses, which may hold blanks.
  const end = stat.lastIndexOf(")")
  const fields = stat.slice(end + 2).split(" ").map(Number)
  const ticks = (field: number) => (fields[field] ?? 0) * millisPerTick
  return {
    parent: fields[1] ?? 0,
    name: stat.slice(stat.indexOf("(") + 1, end),
    cpuMs: ticks(11) + ticks(12),
    endedChildrenMs: ticks(13) + ticks(14)
  }
}

const processOf = (pid: number): ReadonlyArray<Process> => {
  try {
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(Fs.readFileSync(`/proc/${pid}/status`, "latin1"))
    return [{ pid, ...statOf(`/proc/${pid}/stat`), residentMebibytes: Number(resident?.[1] ?? 0) / 1024 }]
  } catch {
    // It has ended since it was listed, or this is no Linux.
    return []
  }
}

const all = (): ReadonlyArray<Process> =>
  Fs.existsSync("/proc/self/stat")
    ? Fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => processOf(Number(name)))
    : []

/** Processor time of some processes' threads by name; the first of each process is `main`. */
const threadsOf = (pids: ReadonlyArray<number>): Readonly<Record<string, number>> => {
  const spent: Record<string, number> = {}
  for (const pid of pids) {
    const directory = `/proc/${pid}/task`
    for (const thread of Fs.existsSync(directory) ? Fs.readdirSync(directory) : []) {
      try {
        const { cpuMs, name } = statOf(`${directory}/${thread}/stat`)
        const known = Number(thread) === pid ? "main" : name
        spent[known] = (spent[known] ?? 0) + cpuMs
      } catch {
        // It has ended since it was listed.
      }
    }
  }
  return spent
}

const descendants = (processes: ReadonlyArray<Process>, pid: number): ReadonlyArray<Process> =>
  processes.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...descendants(processes, child.pid)])

const sum = (usages: ReadonlyArray<Usage>): Usage => ({
  cpuMs: usages.reduce((total, { cpuMs }) => total + cpuMs, 0),
  residentMebibytes: usages.reduce((total, { residentMebibytes }) => total + residentMebibytes, 0)
})

/** One process. */
export const usageOf = (pid: number): Usage => sum(processOf(pid))

/** What a server uses by itself, its workers included, and what belongs to it does. */
export interface ServerUsage {
  /** Processor time of the server's own threads by their names, in milliseconds; `main` runs its JavaScript. */
  readonly threads: Readonly<Record<string, number>>
  readonly server: Usage
  readonly postgres: Usage
  readonly sandboxes: Usage
}

/**
 * The server by itself with its workers, its Postgres, whoever its client is, and its sandboxes.
 *
 * @param postmaster of a Postgres that is not the server's own
 */
export const usageOfServer = (pid: number, postmaster?: number): ServerUsage => {
  const processes = all()
  const itself = processOf(pid)
  const below = [
    ...descendants(processes, pid),
    ...processes.filter((process) => process.pid === postmaster),
    ...(postmaster === undefined ? [] : descendants(processes, postmaster))
  ]
  const named = (name: string) => below.filter((process) => process.name === name)
  const own = [...itself, ...below.filter(({ name }) => name === itself[0]?.name)]
  return {
    threads: threadsOf(own.map(({ pid }) => pid)),
    server: sum(own),
    // With the sessions that were closed: their time is the postmaster's then.
    postgres: sum(
      named("postgres").map((process) => ({
        ...process,
        cpuMs: process.cpuMs + process.endedChildrenMs
      }))
    ),
    sandboxes: sum(named("deno"))
  }
}
