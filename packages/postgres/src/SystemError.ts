/** The code of a system's error, such as `ENOENT`; undefined if it is none. */
export const codeOf = (cause: unknown): unknown => cause instanceof Error && "code" in cause ? cause.code : undefined

/** Does it. Gives undefined if it fails with one of these codes, and rejects with all other errors. */
export const unless = async <A>(codes: ReadonlyArray<unknown>, run: () => Promise<A>): Promise<A | undefined> => {
  try {
    return await run()
  } catch (cause) {
    if (codes.includes(codeOf(cause))) return undefined
    throw cause
  }
}
