import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { unless } from "./SystemError.ts"

/** The content of `postmaster.pid` in a Postgres data directory. */
export interface Postmaster {
  readonly pid: number
  /** In its own words: `starting`, `ready` once it accepts connections, `stopping` once it was told to end. */
  readonly status: string | undefined
}

/** The postmaster named in the data directory, alive or not. */
export const readPostmaster = (directory: string): Effect.Effect<Postmaster | undefined> =>
  Effect.promise(async () => {
    const lines = (await readText(Path.join(directory, "postmaster.pid")))?.split("\n")
    const pid = Number.parseInt(lines?.[0] ?? "", 10)
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines?.[7]?.trim() } : undefined
  })

/**
 * The ids of the living Postgres processes of a data directory. On Linux these are the ones that work in it (each
 * process of Postgres does), so an unrelated process that got a recorded id is never taken for one; elsewhere it is the
 * process `postmaster.pid` names, if its command line names the directory.
 */
export const livingProcesses = (directory: string): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function*() {
    if (process.platform === "linux") return yield* Effect.promise(() => processesIn(directory))
    const postmaster = yield* readPostmaster(directory)
    if (postmaster === undefined) return []
    const command = yield* Effect.promise(() => commandLine(postmaster.pid))
    return command.includes(`-D ${directory}`) ? [postmaster.pid] : []
  })

const processesIn = async (directory: string): Promise<ReadonlyArray<number>> => {
  const own = await statOrUndefined(directory)
  if (own === undefined) return []
  const found = await Promise.all((await processIds()).map(async (pid) => {
    const cwd = await statOrUndefined(`/proc/${pid}/cwd`)
    if (cwd?.ino !== own.ino || cwd.dev !== own.dev) return []
    return (await readText(`/proc/${pid}/comm`))?.trim() === "postgres" ? [Number(pid)] : []
  }))
  return found.flat()
}

/** The users that have a process. Only on Linux. */
export const uidsWithProcesses = async (): Promise<ReadonlySet<number>> => {
  const owners = await Promise.all((await processIds()).map((pid) => statOrUndefined(`/proc/${pid}`)))
  return new Set(owners.flatMap((owner) => owner === undefined ? [] : [Number(owner.uid)]))
}

const processIds = async () => (await Fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))

/** Empty where there is no such process: then `ps` exits with 1. */
const commandLine = async (pid: number): Promise<string> =>
  (await unless([1], () => promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)])))?.stdout ?? ""

// A process may end, and its directory in /proc vanish, between two reads; another user's may not be looked into.
const gone = ["ENOENT", "ESRCH", "EACCES", "EPERM"]

const statOrUndefined = (path: string) => unless(gone, () => Fs.stat(path, { bigint: true }))
const readText = (path: string) => unless(gone, () => Fs.readFile(path, "utf8"))
