/** Steps that are written in Python (`docs/workflows.md`, "Python"): the interpreter of a process that has one. */
import * as ExactJson from "@headwater/domain/ExactJson"
import { onToken } from "./AccountTokens.ts"
import { DataStore } from "./DataStore.ts"
import { mostBytes } from "./Files.ts"
import type { Interpreter } from "./Interpreter.ts"
import { handedOver } from "./InterpreterHandover.ts"
import { Invalid } from "./Module.ts"
import { PythonFiles } from "./PythonFiles.ts"
import * as PythonHttp from "./PythonHttp.ts"
import { bound, type RunContext } from "./RunContext.ts"
import { Database, type This } from "./This.ts"
import { ToldError, type Wheels } from "./ThrownValue.ts"

const { parse, stringify } = JSON
const { entries, hasOwn } = Object

/** A step as it is written: its code, and what it is called in errors. */
export interface PythonStep {
  readonly lang: "python"
  readonly code: string
}

/** The Python modules that a process has from its beginning. */
interface Steps {
  readonly check: (code: string, file: string) => string
  readonly install: () => void
  readonly renew: (before: string, now: string) => void
  readonly run: { callPromising(host: object): Promise<string> }
}

const interpreter = Reflect.get(globalThis, handedOver) as Interpreter | undefined
Reflect.deleteProperty(globalThis, handedOver)

const steps: Steps | undefined = interpreter?.pyimport("headwater_steps")
steps?.install()

const newFiles = interpreter === undefined ? undefined : PythonFiles.of(interpreter)

/** An empty `/tmp` for a step, until it is closed; none in a process for JavaScript. */
export const openFiles = (): PythonFiles | undefined => newFiles?.(mostBytes())

// Python has a copy of each token.
onToken((before, now) => steps?.renew(before.token, now.token))

export const isPython = (step: unknown): step is PythonStep & Record<string, unknown> =>
  typeof step === "object" && step !== null && "lang" in step && step.lang === "python" && "code" in step &&
  typeof step.code === "string"

/** The file that the code of a step is called in tracebacks and in errors. */
const fileOf = (name: string): string => `${name}.py`

/** The packages that the code of a step lacks, if this process can tell. Refuses code that can't run. */
export const check = (name: string, { code }: PythonStep): { readonly needs?: unknown } => {
  if (steps === undefined) return {}
  const file = fileOf(name)
  const { fault, needs } = parse(steps.check(code, file)) as {
    readonly fault?: { readonly message: string }
    readonly needs?: unknown
  }
  if (fault !== undefined) throw new Invalid({ reason: "syntax", file, ...fault })
  return { needs }
}

type Callable = (...values: ReadonlyArray<unknown>) => unknown

/** The function of `$` at a path such as `flow.exit`, if there is one. */
const functionAt = ($: object, path: string): Callable | undefined => {
  let found: unknown = $
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null || !hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return typeof found === "function" ? found as Callable : undefined
}

interface Given {
  readonly name: string
  readonly step: PythonStep
  readonly self: This
  /** The results of the steps before, as JSON with their numbers as they are written. */
  readonly stepsJson: string
  readonly $: object & { readonly context: unknown }
  readonly wheels: Wheels | undefined
}

const namesOf = (self: This, kind: typeof DataStore | typeof Database): string =>
  stringify(entries(self).flatMap(([name, value]) => value instanceof kind ? [name] : []))

/** Asks a store by a method. Answers JSON, or nothing where the store has nothing. Values keep all of their digits. */
const askStore = async (store: unknown, method: string, argsJson: string): Promise<string | undefined> => {
  const args = ExactJson.parse(argsJson) as ReadonlyArray<unknown>
  if (!(store instanceof DataStore)) return stringify((store as Record<string, Callable>)[method]!(...args))
  switch (method) {
    case "get":
      return store.textOf(args[0])
    case "entries": {
      const found: Array<string> = []
      for await (const [key, text] of store.texts()) found.push(`[${stringify(key)},${text}]`)
      return `[${found.join()}]`
    }
    case "compareAndSet": {
      const [key, expected, value, options] = args
      // There is no `undefined` in Python.
      return stringify(
        await store.compareAndSet(key, expected ?? undefined, value, options as { readonly ttl?: number })
      )
    }
    default:
      return stringify(await (store as unknown as Record<string, Callable>)[method]!(...args))
  }
}

/** The functions behind `pd`. They speak in the name of the run, whatever else the process does. */
const hostOf = (run: RunContext, { $, name, self, step, stepsJson, wheels }: Given) => ({
  code: step.code,
  file: fileOf(name),
  env: stringify(run.env),
  steps: stepsJson,
  inputs: stringify(self),
  dataStores: namesOf(self, DataStore),
  databases: namesOf(self, Database),
  context: stringify($.context),
  packages: wheels?.key ?? "",
  wheels: () =>
    entries(wheels?.files ?? {}).map(([file, base64]) => [file, new Uint8Array(Buffer.from(base64, "base64"))]),
  has: (path: string) => functionAt($, path) !== undefined,
  log: (level: string, message: string) => run.say({ _tag: "Logged", level, message }),
  call: bound(async (path: string, argsJson: string, bytes: ReadonlyArray<readonly [string, Uint8Array]>) => {
    const [first, ...rest] = ExactJson.parse(argsJson) as ReadonlyArray<unknown>
    const given = bytes.length === 0 ? first : { ...first as object, ...Object.fromEntries(bytes) }
    return stringify(await functionAt($, path)!(given, ...rest))
  }),
  store: bound((name: string, method: string, argsJson: string) => askStore(self[name], method, argsJson)),
  http: bound(PythonHttp.exchange)
})

/** Runs a step, and answers what it returned. */
export const runPython = async (run: RunContext, given: Given): Promise<unknown> => {
  if (steps === undefined) throw new Error("this process has no interpreter of Python")
  const answer = ExactJson.parse(await steps.run.callPromising(hostOf(run, given))) as {
    readonly value?: unknown
    readonly error?: ConstructorParameters<typeof ToldError>[0]
  }
  if (answer.error !== undefined) throw new ToldError(answer.error)
  return answer.value
}
