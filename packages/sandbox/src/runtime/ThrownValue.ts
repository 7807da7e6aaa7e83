/** The report about a value that was thrown. Component code may throw anything, also what throws when it is looked at. */
import { inspect } from "node:util"
import * as CauseLines from "./CauseLines.ts"
import { webSocketPackage } from "./WebSocketPackageName.ts"

export interface ComponentFile {
  /** The address under which the engine loaded the module; it stands in raw stack traces. */
  readonly url: string
  /** The packages of its steps in Python. */
  readonly wheels?: Wheels
}

export interface Wheels {
  readonly key: string
  /** In base64, by the names of the files. */
  readonly files: Readonly<Record<string, string>>
}

export interface Described {
  readonly name: string
  readonly message: string
  /** With those of its causes. */
  readonly stack: string
  readonly line?: number
  readonly column?: number
  readonly code?: string
}

/** An error of another language, which says itself what the host is told. */
export class ToldError extends Error {
  readonly told: Described

  constructor(told: Described) {
    super(told.message)
    this.told = told
  }
}

const textLimit = 32 * 1024

/** The most causes that are told, their depth in each other, and the most characters of each. */
const mostCauses = 12
const deepestCause = 8
const causeLimit = 1_500

/** Deno's refusal without its advice to allow something when Deno is started: that is none of an author's choice. */
export const withoutAdvice = (text: string): string =>
  text.replaceAll(
    /(?<=\bRequires \w+ access\b[^\n]*), run again with the --\S+ flag/g,
    ", which components do not have"
  )

const tried = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const text = (read: () => unknown): string => {
  const value = tried(read)
  return typeof value === "string" ? withoutAdvice(value.slice(0, textLimit)) : ""
}

/** A text as it is, and anything else as it is shown in the console. */
const shown = (value: unknown): string =>
  text(() => typeof value === "string" && value !== "" ? value : inspect(value)) ||
  `a ${typeof value} that can't be shown`

const isError = (value: unknown): value is Error => tried(() => value instanceof Error) === true

export const stackOf = (thrown: unknown): string => text(() => isError(thrown) ? thrown.stack : undefined)

const runtimeAddresses = [import.meta.url, webSocketPackage]
export const componentName = "component.mjs"

/** The stack in the component's own lines: the module by its name, without the frames of the engine. */
const ownLines = (stack: string, file: ComponentFile | undefined): string =>
  (file === undefined ? stack : stack.replaceAll(file.url, componentName))
    .split("\n")
    .filter((line) =>
      !runtimeAddresses.some((address) => line.includes(address)) &&
      !/\((ext|node):|^\s+at (async )?(ext|node):/.test(line)
    )
    .join("\n")

/** An error's own text, of which a property may be anything too. */
const memberOf = (error: Error, name: "code" | "message" | "name"): string => {
  const value = tried(() => (error as Partial<Record<typeof name, unknown>>)[name])
  return value === undefined || value === "" ? "" : shown(value)
}

const ownStack = (error: Error, file: ComponentFile | undefined): string =>
  ownLines(stackOf(error), file) || `${memberOf(error, "name") || "Error"}: ${memberOf(error, "message")}`

/** The errors that an error holds, each under the path that leads there. */
const within = (value: unknown, path: string): ReadonlyArray<readonly [path: string, value: unknown]> => {
  if (!isError(value)) return []
  const at = (name: string) => path === "" ? name : `${path}.${name}`
  const cause = tried(() => value.cause)
  const errors = tried(() => (value as Error & { readonly errors?: unknown }).errors)
  const isList = tried(() => Array.isArray(errors)) === true
  const list = isList ? errors as ReadonlyArray<unknown> : []
  const length = tried(() => list.length) ?? 0
  return [
    ...(cause === undefined ? [] : [[at("cause"), cause] as const]),
    ...Array.from(
      { length: Math.min(length, mostCauses + 1) },
      (_, index) => [at(`errors.${index}`), tried(() => list[index])] as const
    )
  ]
}

const causeText = (value: unknown, file: ComponentFile | undefined): string => {
  if (!isError(value)) return shown(value)
  const code = memberOf(value, "code")
  const stack = ownStack(value, file)
  const [first = "", ...frames] = stack.split("\n")
  return [code === "" || first.includes(code) ? first : `${first} (${code})`, ...frames].join("\n")
}

const leftOut = (path: string) => CauseLines.make(path, "this and what follows is left out")

/** The causes of an error, and what it gathers, those that are nearest first. */
const causesOf = (thrown: unknown, file: ComponentFile | undefined): ReadonlyArray<string> => {
  const told: Array<string> = []
  const seen = [thrown]
  let level = within(thrown, "")
  for (let depth = 0; depth < deepestCause && level.length > 0; depth++) {
    const next: Array<readonly [path: string, value: unknown]> = []
    for (const [path, value] of level) {
      if (told.length === mostCauses) return [...told, leftOut(path)]
      if (isError(value) && seen.includes(value)) {
        told.push(CauseLines.make(path, "one of the errors above"))
        continue
      }
      seen.push(value)
      told.push(CauseLines.make(path, causeText(value, file).slice(0, causeLimit)))
      next.push(...within(value, path))
    }
    level = next
  }
  const [first] = level
  return first === undefined ? told : [...told, leftOut(first[0])]
}

/** A value as the host is told about it, with the first position that is in the component. */
const describe = (thrown: unknown, file: ComponentFile | undefined): Described => {
  if (thrown instanceof ToldError) {
    const { message, stack, ...rest } = thrown.told
    return { ...rest, message: message.slice(0, textLimit), stack: stack.slice(-textLimit) }
  }
  if (!isError(thrown)) {
    const message = shown(thrown)
    return { name: "Error", message, stack: `Error: ${message}` }
  }
  const causes = causesOf(thrown, file)
  const length = causes.reduce((sum, cause) => sum + cause.length + 1, 0)
  const stack = [ownStack(thrown, file).slice(0, textLimit - length), ...causes].join("\n")
  const position = /component\.mjs:(\d+):(\d+)/.exec(stack)
  const code = text(() => "code" in thrown ? thrown.code : undefined)
  return {
    name: memberOf(thrown, "name") || "Error",
    message: memberOf(thrown, "message"),
    stack,
    ...(position === null ? {} : { line: Number(position[1]), column: Number(position[2]) }),
    ...(code === "" ? {} : { code })
  }
}

/** A thrown value as the host is told about it, also where component code has replaced what that takes. */
export const described = (thrown: unknown, file: ComponentFile | undefined): Described => {
  try {
    return describe(thrown, file)
  } catch {
    return { name: "Error", message: "The error can't be described", stack: "" }
  }
}
