/** A place in the code of a component or workflow; lines and columns count from 1. */
export interface CodePlace {
  readonly line: number
  readonly column: number
}

/** The first place in the code that a stack names. */
export const placeIn = (stack: string): CodePlace | undefined => {
  const found = /\bcomponent\.mjs:(\d{1,9}):(\d{1,9})/.exec(stack)
  return found === null ? undefined : { line: Number(found[1]), column: Number(found[2]) }
}

export const placeText = ({ column, line }: CodePlace): string => `line ${line}, column ${column}`
