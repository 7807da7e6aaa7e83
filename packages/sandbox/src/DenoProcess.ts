import { Data, Duration, Effect } from "effect"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { basename, dirname, resolve } from "node:path"
import type { ProcessKind } from "./ProcessKind.ts"
import type { SandboxConfig } from "./SandboxConfig.ts"

/** Processor time after which a process is worn out and takes no new work, in milliseconds. */
export const wornOutCpuMillis = 300_000

/** The files of sandbox processes of any kind. */
export interface DenoFiles {
  /** An empty directory that Deno takes for its cache and cannot write to. */
  readonly denoDirectory: string
  readonly extraCaFile: string | undefined
}

/** A program that Deno runs. */
export interface DenoProgram {
  readonly config: SandboxConfig["Service"]
  readonly files: DenoFiles
  readonly mainModule: string
  readonly kind: ProcessKind
  /** The one port on loopback that it may connect to, which is its argument; without it, it may connect to nothing. */
  readonly brokerPort?: number
}

/**
 * The system's own bounds, for when the host is not there to look: a busy process whose host was killed, and memory
 * taken faster than it is looked at. Deno itself reserves about 0.6 GiB of data, more with many processors. No file can
 * be written, by Deno for itself either: writing is an error, where without the `trap` it would be the end.
 */
const systemLimits = ({ config: { limits }, kind }: DenoProgram): string =>
  [
    "trap '' XFSZ",
    "ulimit -f 0",
    "ulimit -c 0",
    "ulimit -n 256",
    `ulimit -t ${Math.ceil((wornOutCpuMillis + limits.cpuMillis) / 1000) + 60}`,
    `ulimit -d ${(kind.heapMebibytes + 2048) * 1024}`
  ].join("; ")

const denoArguments = (
  { brokerPort, files, kind, mainModule }: DenoProgram
): ReadonlyArray<string> => [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--ignore-env",
  ...(brokerPort === undefined ? [] : [`--allow-net=127.0.0.1:${brokerPort}`]),
  // The interpreter's files are modules of the program, so that it has no right to read any.
  ...(kind.language === "python" ? ["--unstable-raw-imports"] : []),
  `--v8-flags=--max-old-space-size=${kind.heapMebibytes}`,
  ...(files.extraCaFile === undefined ? [] : [`--cert=${files.extraCaFile}`]),
  mainModule,
  ...(brokerPort === undefined ? [] : [String(brokerPort)])
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

/** Starts Deno on a program, allowed to reach the broker and nothing else. */
export const start = (options: DenoProgram): ChildProcessWithoutNullStreams => {
  const { denoPath, identity } = options.config
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      // Found on the path, the program is told no other path of itself than its name.
      `PATH="$0"; ${systemLimits(options)}; exec "$@"`,
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
  return child
}

/** Starts a program that runs component code. */
export const startForComponents = (program: DenoProgram): ChildProcessWithoutNullStreams => {
  const child = start(program)
  if (child.pid !== undefined) yieldProcessor(child.pid)
  return child
}

/** The last words of a program that failed, in characters. */
const lastWords = 1_000

/** A program ended without success, or not in time. */
export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{ readonly message: string }> {}

/** A program that is run to its end never comes to it if it has not by then. */
const longestRun = Duration.minutes(5)

/** Runs a program to its end, and answers what it wrote to standard output. */
export const output = (program: DenoProgram): Effect.Effect<Uint8Array, ProgramFailed> =>
  Effect.callback<Uint8Array, ProgramFailed>((resume) => {
    const child = start(program)
    const written: Array<Buffer> = []
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => written.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-lastWords)
    })
    child.stdin.on("error", () => {})
    child.stdin.end()
    const fail = (message: string) => resume(Effect.fail(new ProgramFailed({ message })))
    child.on("error", ({ message }) => fail(message))
    child.on("close", (code) => code === 0 ? resume(Effect.succeed(Buffer.concat(written))) : fail(said))
    return Effect.sync(() => void child.kill("SIGKILL"))
  }).pipe(Effect.timeoutOrElse({
    duration: longestRun,
    orElse: () =>
      Effect.fail(
        new ProgramFailed({ message: `The program did not end within ${Duration.toMinutes(longestRun)} minutes` })
      )
  }))
