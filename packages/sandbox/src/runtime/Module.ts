/** Loads component modules, once per version and process, and says in the component's own terms why one can't be. */
import * as CauseLines from "./CauseLines.ts"
import { type ComponentFile, componentName, described, type Wheels } from "./ThrownValue.ts"

export interface LoadedComponent extends ComponentFile {
  readonly definition: ComponentDefinition
}

export interface ComponentDefinition {
  readonly [key: string]: unknown
  readonly props?: Record<string, unknown>
  readonly methods?: Record<string, unknown>
  readonly hooks?: Record<string, unknown>
  readonly run?: unknown
}

/** The reason why a module is not a usable component. */
export class Invalid extends Error {
  readonly details: Record<string, unknown>

  constructor(details: Record<string, unknown> & { readonly reason: string; readonly message: string }) {
    super(details.message)
    this.details = details
  }
}

// Objects without a prototype, because component code can replace the methods of maps.
const codes = { __proto__: null } as unknown as Record<string, string>
const loading = { __proto__: null } as unknown as Record<string, Promise<LoadedComponent>>

export const learn = (hash: string, code: string): void => {
  codes[hash] = code
}

export const load = (hash: string): Promise<LoadedComponent> => loading[hash] ??= loadFirst(hash)

const loadFirst = async (hash: string): Promise<LoadedComponent> => {
  try {
    const loaded = await importModule(codes[hash] ?? "")
    // The text is no longer needed.
    delete codes[hash]
    return loaded
  } catch (thrown) {
    // A module that failed at its top level may succeed the next time.
    delete loading[hash]
    throw thrown
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** A module that was compiled to CommonJS has its default export among its exports. */
const defaultOf = (exported: unknown): unknown =>
  isObject(exported) && exported["__esModule"] === true && "default" in exported ? exported["default"] : exported

const importModule = async (code: string): Promise<LoadedComponent> => {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }))
  try {
    const module: unknown = await import(url)
    const definition = isObject(module) ? defaultOf(module["default"]) : undefined
    if (definition === undefined) {
      throw new Invalid({
        reason: "no_default_export",
        message: "The component has no default export: write `export default { … }`"
      })
    }
    if (!isObject(definition)) {
      throw new Invalid({ reason: "no_default_export", message: "The default export must be an object" })
    }
    const wheels = isObject(module) ? module["pythonWheels"] as Wheels | undefined : undefined
    return wheels === undefined ? { url, definition } : { url, definition, wheels }
  } catch (thrown) {
    throw thrown instanceof Invalid ? thrown : explain(thrown, url)
  } finally {
    URL.revokeObjectURL(url)
  }
}

const besideText =
  "Code that is sent as text can't import other files: deploy the file with `headwater deploy`, which sends its " +
  "imports too, or give its URL as component_url"

/**
 * Errors found before any code ran end with the place of the fault; those thrown by the top level have it in the stack.
 */
const explain = (thrown: unknown, url: string): Invalid => {
  const details = described(thrown, { url })
  const message = details.message.replaceAll(url, componentName)
  const fault = /\s+at component\.mjs:(\d+):(\d+)\s*$/.exec(message)
  if (fault === null) {
    return new Invalid({
      ...details,
      reason: "load",
      message: [`${details.name}: ${message}`, ...CauseLines.within(details.stack)].join("\n"),
      file: componentName
    })
  }
  const text = message.slice(0, fault.index)
  const place = { line: Number(fault[1]), column: Number(fault[2]), file: componentName }
  if (/relative URL with a cannot-be-a-base base|Relative import path/.test(text)) {
    return new Invalid({ ...place, reason: "import", message: besideText })
  }
  const isImport = /does not provide an export|specifier|not a dependency|Requires \w+ access|Module not found/.test(
    text
  )
  return new Invalid({
    ...place,
    reason: isImport ? "import" : "syntax",
    // Deno's parser draws the line below its sentence; the position says the same.
    message: text.split("\n")[0]?.replace(/^SyntaxError: /, "") ?? text
  })
}
