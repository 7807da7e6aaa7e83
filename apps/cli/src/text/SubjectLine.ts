const indent = `\n${" ".repeat(12)}`

/** A subject with the text about it; further lines stand below the first. */
export const line = (about: string, text: string): string =>
  `${about.padEnd(10)}  ${text.trimEnd().replaceAll("\n", indent)}`.trimEnd()

export const ms = (value: number): string => `${Math.round(value)} ms`
