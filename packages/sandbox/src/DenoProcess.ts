import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { basename, dirname, resolve } from "node:path"
import type { SandboxConfig } from "./SandboxConfig.ts"
import type { SandboxFiles } from "./SandboxFiles.ts"

/** Processor time after which a process is worn out and takes no new work, in milliseconds. */
export const wornOutCpuMillis = 300_000

export interface DenoProcessOptions {
  readonly brokerPort: number
  readonly config: SandboxConfig["Service"]
  readonly files: SandboxFiles["Service"]
}

/**
 * The system's own bounds, for when the host is not there to look: a busy process whose host was killed, and memory
 * taken faster than it is looked at. Deno itself reserves about 0.6 GiB of data, more with many processors. No file can
 * be written, by Deno for itself either: writing is an error, where without the `trap` it would be the end.
 */
const systemLimits = ({ limits }: SandboxConfig["Service"]): string =>
  [
    "trap '' XFSZ",
    "ulimit -f 0",
    "ulimit -c 0",
    "ulimit -n 256",
    `ulimit -t ${Math.ceil((wornOutCpuMillis + limits.cpuMillis) / 1000) + 60}`,
    `ulimit -d ${(limits.heapMebibytes + 2048) * 1024}`
  ].join("; ")

const denoArguments = ({ brokerPort, config, files }: DenoProcessOptions): ReadonlyArray<string> => [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--ignore-env",
  `--allow-net=127.0.0.1:${brokerPort}`,
  `--v8-flags=--max-old-space-size=${config.limits.heapMebibytes}`,
  ...(files.extraCaFile === undefined ? [] : [`--cert=${files.extraCaFile}`]),
  files.mainModule,
  String(brokerPort)
]

/** The `PATH` on which a program is found by its name alone. */
const pathOf = (program: string): string =>
  program === basename(program) ? process.env["PATH"] ?? "" : dirname(resolve(program))

/** A third of the processor time that the server has where there is not enough: enough to load a component in time. */
const niceness = 5

/**
 * If processors are short, the server and the database go before component code, which may compute all it likes. The
 * process is in a session of its own, and Linux may share processors out by session before it looks at priorities.
 */
const yieldProcessor = (pid: number) => {
  try {
    setPriority(pid, niceness)
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness), { flag: "r+" })
  } catch {
    // The process has ended already, which is reported as such, or the system knows no such shares.
  }
}

/** Starts Deno on the sandbox's runtime, allowed to reach the broker and nothing else. */
export const start = (options: DenoProcessOptions): ChildProcessWithoutNullStreams => {
  const { denoPath, identity } = options.config
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      // Found on the path, the program is told no other path of itself than its name.
      `PATH="$0"; ${systemLimits(options.config)}; exec "$@"`,
      pathOf(denoPath),
      basename(denoPath),
      ...denoArguments(options)
    ],
    {
      // Paths that are made of it, as by `path.resolve`, say nothing of the host.
      cwd: "/",
      env: { DENO_DIR: options.files.denoDirectory, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      stdio: ["pipe", "pipe", "pipe"],
      // In a session of its own, so that a Ctrl-C reaches the server alone, which lets runs end.
      detached: true,
      ...identity
    }
  )
  if (child.pid !== undefined) yieldProcessor(child.pid)
  return child
}
