/** What `JSON.parse` answers: who wrote a test knows the shape of it. */
export type ParsedJson = ReturnType<typeof JSON.parse>
