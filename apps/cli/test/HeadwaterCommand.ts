import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule, type Scope } from "effect"
import { execFile, spawn } from "node:child_process"
import * as Path from "node:path"

/** How a command ended and what it printed. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** For a test that starts several commands on a loaded machine. */
export const patienceMs = 240_000

const program = Path.resolve(import.meta.dirname, "../bin/headwater")

/** What a login shell has: none of the project's own programs, and maybe another Node. */
const path = "/usr/local/bin:/usr/bin:/bin"

/** Where a command is run, and what it reads from standard input. */
export interface Surroundings {
  readonly cwd?: string
  readonly input?: string
}

/** Runs `headwater` as an operator does, with this environment and no more. */
export const run = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  { cwd, input = "" }: Surroundings = {}
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const child = execFile(program, args, { env: { PATH: path, ...env }, cwd }, (error, stdout, stderr) => {
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }))
    })
    child.stdin?.end(input)
    return Effect.sync(() => child.kill())
  })

/** A command that goes on until it is told to end. */
export interface Going {
  /** What it has printed. */
  readonly output: () => string
  /** Waits until it has printed this. */
  readonly printed: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** A Ctrl-C; waits until it has ended. */
  readonly interrupt: Effect.Effect<void>
}

/** Starts `headwater` in a folder, with this environment and no more. */
export const start = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  cwd: string
): Effect.fn.Return<Going, never, Scope.Scope> {
  const child = spawn(program, args, { env: { PATH: path, ...env }, cwd, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => void (output += String(chunk)))
  const interrupt = Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("close", () => resume(Effect.void))
    child.kill("SIGINT")
  })
  yield* Effect.addFinalizer(() => interrupt)
  return {
    output: () => output,
    printed: (pattern) =>
      Effect.sync(() => pattern.exec(output)).pipe(
        Effect.repeat({ until: (found) => found !== null, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds"),
        Effect.catch(() => Effect.die(new Error(`It has not printed ${pattern}, but:\n${output}`))),
        Effect.map((found) => found!)
      ),
    interrupt
  }
})

/** What a command with `--json` printed. */
export const jsonOf = ({ code, stderr, stdout }: Ended): Json.Json => {
  assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
  return Json.parse(stdout)
}

/**
 * That it failed and said why in one line, on standard error alone.
 *
 * @param code by itself that of a command line that can't be understood, where it is told to see the help
 */
export const assertRefused = (
  ended: Ended,
  reason: RegExp,
  code = ended.stderr.endsWith(" --help)\n") ? 2 : 1
): void => {
  assert.deepStrictEqual([ended.code, ended.stdout], [code, ""])
  assert.match(ended.stderr, /^headwater: [^\n]+\n$/)
  assert.match(ended.stderr, reason)
}
