import { Effect } from "effect"
import * as Fs from "node:fs/promises"

/** A worker of a server: its number, and its process id. */
export interface WorkerProcess {
  readonly number: number
  readonly pid: number
}

const workerOf = async (entry: string, supervisor: number): Promise<ReadonlyArray<WorkerProcess>> => {
  const stat = await Fs.readFile(`/proc/${entry}/stat`, "utf8").catch(() => "")
  const [, parent] = /^\d+ \(.*\) \S (\d+) /s.exec(stat) ?? []
  if (parent !== String(supervisor)) return []
  const command = await Fs.readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "")
  const [, number] = /WorkerMain\.ts\0\{"number":(\d+)/.exec(command) ?? []
  return number === undefined ? [] : [{ number: Number(number), pid: Number(entry) }]
}

/** The workers that a server has now, by number. */
export const of = (supervisor: number): Effect.Effect<ReadonlyArray<WorkerProcess>> =>
  Effect.promise(async () => {
    const entries = (await Fs.readdir("/proc")).filter((entry) => /^\d+$/.test(entry))
    const found = await Promise.all(entries.map((entry) => workerOf(entry, supervisor)))
    return found.flat().toSorted((a, b) => a.number - b.number)
  })

/** Whether a process is there. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
