import type { State } from "@headwater/domain/VirtualClock"
import { Context, Layer } from "effect"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { totalmem } from "node:os"
import { dirname, join } from "node:path"
import { ProcessKinds } from "./ProcessKind.ts"
import { defaultLimits, type SandboxLimits } from "./SandboxLimits.ts"

/** The limits on sandbox processes: how many there are, and when one is thrown away. */
export interface SandboxPoolSize {
  /** Processes started but not yet given to an account, kept ready. */
  readonly warmProcesses: number
  readonly maxProcesses: number
  /** The most memory of all processes together that they share with none, in MiB. */
  readonly memoryMebibytes: number
  readonly maxProcessesPerAccount: number
  readonly maxRunsPerProcess: number
  /** Runs and inspections waiting for a process; one more is `SandboxUnavailable`. */
  readonly maxWaiting: number
  /** A process without work for this long is ended, in milliseconds. */
  readonly idleMillis: number
  /** A process older than this takes no new work, in milliseconds. */
  readonly maxAgeMillis: number
  /** A process that neither answers nor works for this long is ended, in milliseconds: what it waits for does not come from outside. */
  readonly stuckMillis: number
  /** A process without work whose resident memory is above this is ended, in MiB. */
  readonly idleMebibytes: number
  /** A process that has loaded this many modules takes no new work, because a loaded module is never freed. */
  readonly maxModules: number
}

/** The memory of a process that has little to do: 20 MiB of its own, and room to work in. */
const mebibytesPerProcess = 64

const fewestProcesses = 16
const mostProcesses = 512

/** Half of so many bytes of memory is for sandboxes; the rest is for the server, its database and the system. */
export const sizeWithin = (bytes: number): Pick<SandboxPoolSize, "maxProcesses" | "memoryMebibytes"> => {
  const memoryMebibytes = Math.floor(bytes / 2 / 1024 / 1024)
  const processes = Math.floor(memoryMebibytes / mebibytesPerProcess)
  return { memoryMebibytes, maxProcesses: Math.max(fewestProcesses, Math.min(mostProcesses, processes)) }
}

/** The memory of the machine, or less if the process may have less (cgroups(7)); a limit of 0 is none. */
const memoryHere = (): number => {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

export const defaultPoolSize: SandboxPoolSize = {
  warmProcesses: 2,
  ...sizeWithin(memoryHere()),
  maxProcessesPerAccount: 4,
  maxRunsPerProcess: 16,
  maxWaiting: 10_000,
  idleMillis: 60_000,
  maxAgeMillis: 60 * 60_000,
  stuckMillis: 10_000,
  idleMebibytes: 192,
  maxModules: 256
}

/** An unprivileged user under whom sandbox processes run when the server is root. */
export interface SandboxIdentity {
  readonly uid: number
  readonly gid: number
}

export interface SandboxOptions {
  /** The Deno executable. The user of `identity`, if that is given, must be able to execute it. */
  readonly denoPath?: string
  readonly identity?: SandboxIdentity
  /** An existing directory that `identity` can enter; Deno's own directory and the runtime's files are kept in it. */
  readonly cacheDir: string
  /** A directory of the server's own for what takes long to make: the memory of an interpreter of Python. */
  readonly keptDir?: string
  /** Path of a PEM file that components trust beside Deno's own authorities (`HEADWATER_EXTRA_CA`). */
  readonly extraCaFile?: string
  readonly limits?: Partial<SandboxLimits>
  readonly pool?: Partial<SandboxPoolSize>
  /** The clock that component code sees; the system's if left out. */
  readonly componentTime?: () => State
}

export class SandboxConfig extends Context.Service<SandboxConfig, {
  readonly denoPath: string
  readonly identity: SandboxIdentity | undefined
  readonly cacheDir: string
  readonly keptDir: string | undefined
  readonly extraCaFile: string | undefined
  readonly limits: SandboxLimits
  readonly kinds: ProcessKinds
  readonly pool: SandboxPoolSize
  readonly componentTime: (() => State) | undefined
}>()("@headwater/sandbox/SandboxConfig") {
  static readonly layer = (options: SandboxOptions): Layer.Layer<SandboxConfig> =>
    Layer.sync(SandboxConfig, () => {
      const limits = { ...defaultLimits, ...options.limits }
      return {
        denoPath: options.denoPath ?? packagedDenoPath(),
        identity: options.identity,
        cacheDir: options.cacheDir,
        keptDir: options.keptDir,
        extraCaFile: options.extraCaFile,
        limits,
        kinds: new ProcessKinds(limits),
        pool: { ...defaultPoolSize, ...options.pool },
        componentTime: options.componentTime
      }
    })
}

/** The executable that the npm package `deno` installed. */
export const packagedDenoPath = (): string => {
  const directory = dirname(createRequire(import.meta.url).resolve("deno/package.json"))
  const executable = join(directory, process.platform === "win32" ? "deno.exe" : "deno")
  return existsSync(executable) ? executable : "deno"
}
