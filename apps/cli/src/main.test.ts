import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Loopback from "@headwater/fixtures/Loopback"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as HeadwaterCommand from "../test/HeadwaterCommand.ts"

const program = Path.resolve(import.meta.dirname, "../bin/headwater")

const isHere = (name: string): boolean => spawnSync(name, ["--version"]).status === 0

/** What a shell prints that runs this script, and how it ended. */
const shell = (name: string, args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly output: string }>((resume) => {
    execFile(name, args, (error, stdout, stderr) => {
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr }))
    })
  })

/**
 * What a command prints at a terminal (script(1)).
 *
 * @param onPrinted told of all that was printed until now
 */
const atTerminal = (
  args: string,
  env: Readonly<Record<string, string>>,
  onPrinted: (printed: string) => void = () => {}
) =>
  Effect.callback<string>((resume) => {
    let printed = ""
    const { stdout } = execFile(
      "script",
      ["-qec", `${program} ${args}`, "/dev/null"],
      { env: { PATH: "/usr/local/bin:/usr/bin:/bin", TERM: "xterm", ...env } },
      (_, stdout) => resume(Effect.succeed(stdout))
    )
    stdout?.on("data", (text: string) => onPrinted(printed += text))
  })

it.live(
  "the exit code says whether a command was understood, refused, or may succeed later",
  () =>
    Effect.gen(function*() {
      const env = {
        XDG_CONFIG_HOME: yield* TemporaryDirectory.make("config"),
        HEADWATER_API_KEY: "hw_0000000000000000"
      }
      const codeOf = (args: ReadonlyArray<string>, more = {}) =>
        Effect.map(HeadwaterCommand.run(args, { ...env, ...more }), ({ code }) => code)
      assert.strictEqual(yield* codeOf(["--version"]), 0)
      assert.strictEqual(yield* codeOf(["events", "--help"]), 0)
      assert.strictEqual(yield* codeOf(["events", "--since", "soon"]), 1)
      assert.strictEqual(yield* codeOf(["events", "--limit", "few"]), 2)
      assert.strictEqual(yield* codeOf(["event"]), 2)
      assert.strictEqual(yield* codeOf(["events"], { HEADWATER_URL: `http://127.0.0.1:${yield* FreePort.find}` }), 3)
    }),
  HeadwaterCommand.patienceMs
)

for (const [name, args] of [["bash", ["-n"]], ["zsh", ["-n"]], ["fish", ["--no-execute"]]] as const) {
  it.live(
    `the completion for ${name} names the commands, and is a script that it takes where it is there`,
    () =>
      Effect.gen(function*() {
        const file = Path.join(yield* TemporaryDirectory.make("completion"), `headwater.${name}`)
        const { code, stdout } = yield* HeadwaterCommand.run(["--completions", name], {})
        assert.strictEqual(code, 0)
        assert.include(stdout, "tail")
        if (!isHere(name)) return
        yield* Effect.promise(() => Fs.writeFile(file, stdout))
        assert.deepStrictEqual(yield* shell(name, [...args, file]), { code: 0, output: "" })
        if (name !== "bash") return
        const completed = (words: string) =>
          Effect.map(
            shell("bash", [
              "--norc",
              "-c",
              `source ${file}; COMP_LINE="${words}"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words}); ` +
              `[[ $COMP_LINE == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); ` +
              `$(complete -p headwater | sed 's/.*-F \\([^ ]*\\).*/\\1/') headwater; echo "\${COMPREPLY[@]}"`
            ]),
            ({ output }) => output.trim().split(" ")
          )
        assert.sameMembers(yield* completed("headwater ta"), ["tail"])
        assert.includeMembers(yield* completed("headwater deliveries "), ["list", "get", "retry", "skip"])
        assert.include(yield* completed("headwater tail --st"), "--stream")
        assert.include(yield* completed("headwater start --dev"), "--dev-clock")
      }),
    HeadwaterCommand.patienceMs
  )
}

it.live.skipIf(!isHere("script"))(
  "colours, progress and the new names of commands are for terminals, and NO_COLOR leaves the colours out",
  () =>
    Effect.gen(function*() {
      const escape = "\u001b["
      const env = {
        XDG_CONFIG_HOME: yield* TemporaryDirectory.make("config"),
        HEADWATER_API_KEY: "hw_0000000000000000"
      }
      assert.include(yield* atTerminal("--help", env), escape)
      assert.notInclude(yield* atTerminal("--help", { ...env, NO_COLOR: "1" }), escape)
      assert.notInclude((yield* HeadwaterCommand.run(["--help"], env)).stdout, escape)

      let told = "\r\u001b[KFetching and checking the code … 1 s"
      const waiting: Array<() => void> = []
      let mayAnswer = false
      const HEADWATER_URL = yield* Loopback.serve((_, response) => {
        const answer = () => response.writeHead(500).end()
        if (mayAnswer) answer()
        else waiting.push(answer)
      })
      const answerOnceTold = (printed: string) => {
        mayAnswer = printed.includes(told)
        if (mayAnswer) { for (const answer of waiting.splice(0)) answer() }
      }
      const deploy = "deploy headwater-schedule"
      assert.include(yield* atTerminal(deploy, { ...env, HEADWATER_URL }, answerOnceTold), told)
      const code = Path.join(env.XDG_CONFIG_HOME, "orders.mjs")
      yield* Effect.promise(() =>
        Fs.writeFile(
          code,
          `import { Cron } from "croner"\nimport pg from "pg"\nexport default { run() { Cron, pg } }\n`
        )
      )
      told = "\r\u001b[KChecking the code, and installing 2 packages … 1 s"
      mayAnswer = false
      assert.include(yield* atTerminal(`deploy ${code}`, { ...env, HEADWATER_URL }, answerOnceTold), told)

      const renamed = "headwater: `account` is called `tenants` now."
      assert.include(yield* atTerminal("account --help", env), renamed)
      assert.notInclude((yield* HeadwaterCommand.run(["account", "--help"], env)).stderr, renamed)

      const piped = yield* HeadwaterCommand.run(deploy.split(" "), { ...env, HEADWATER_URL })
      assert.strictEqual(piped.code, 3)
      assert.match(piped.stderr, /^headwater: http:\S+ does not answer like a Headwater server: [^\n]*\n$/)
    }),
  HeadwaterCommand.patienceMs
)
