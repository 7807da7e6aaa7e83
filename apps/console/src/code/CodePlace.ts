/** A place in the code of a component or workflow; lines and columns count from 1. */
export interface CodePlace {
  readonly line: number
  readonly column: number
}

/** The name of the code's own module in stacks. */
const moduleName = "component.mjs"

/** The first place in the code that a stack names. */
export const placeIn = (stack: string): CodePlace | undefined => {
  const found = /\bcomponent\.mjs:(\d{1,9}):(\d{1,9})/.exec(stack)
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) }
}

/** The place that a refusal of code names in `details`, unless it is in another file. */
export const placeOf = (details: unknown): CodePlace | undefined => {
  if (typeof details !== "object" || details === null) return undefined
  const { column, file, line } = details as Readonly<Record<string, unknown>>
  if (typeof line !== "number" || (file !== undefined && file !== moduleName)) return undefined
  return { line, column: typeof column === "number" ? column : 1 }
}

export const placeText = ({ column, line }: CodePlace): string => `line ${line}, column ${column}`

/** The place that an address asks for. */
export const placeAsked = (query: URLSearchParams): CodePlace | undefined => {
  const [line, column] = [query.get("line"), query.get("column")].map((text) =>
    text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined
  )
  return line === undefined ? undefined : { line, column: column ?? 1 }
}
