/**
 * The lines at which a stack goes on to an error that caused the one before, or that it gathers: a path in brackets,
 * and its text.
 */

/** @param path such as `cause.errors.1` */
export const make = (path: string, text: string): string => `[${path}]: ${text}`

/** The first lines of the causes in a stack, for where a message stands without its stack. */
export const within = (stack: string): ReadonlyArray<string> =>
  stack.match(/^\[(?:cause|errors\.\d+)(?:\.cause|\.errors\.\d+)*\]: .*$/gm) ?? []
