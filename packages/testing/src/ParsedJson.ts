/** The answer of `JSON.parse`: the author of a test knows its shape. */
export type ParsedJson = ReturnType<typeof JSON.parse>
