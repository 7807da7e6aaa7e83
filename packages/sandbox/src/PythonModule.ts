/** A file of Python as a module: its default export is the step that it is. */
export const moduleOf = (code: string): string => `export default { lang: "python", code: ${JSON.stringify(code)} }\n`
