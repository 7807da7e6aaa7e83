/**
 * The modules that packages ask for by a `require` that they make themselves, as ES modules do, or by one with a name
 * that is put together. The bundler knows neither.
 */

/**
 * Put before a module, for names that are put together: the sandbox's `require` knows Node's own modules. The bundler
 * does not read it, so it uses no name that a package may have at its top, as zod has `process`.
 */
export const requireOfModule =
  `import { createRequire as requireOf$module } from "node:module"; const require = requireOf$module(import.meta.url)`

const identifier = "[\\w$]+"

/**
 * The text of a package's file in which calls of a `require` that it makes are calls of `require`, as CommonJS has it, so
 * that the bundler has what they name.
 */
export const withKnownRequires = (text: string): string => {
  const [, alias] = new RegExp(`\\bcreateRequire\\s+as\\s+(${identifier})`).exec(text) ?? []
  const maker = `(?:${identifier}\\.)?(?:createRequire${alias === undefined ? "" : `|${alias}`})`
  const makes = `${maker}\\s*\\(\\s*import\\.meta\\.url\\s*\\)`
  const made = new RegExp(`\\b(?:const|let|var)\\s+(${identifier})\\s*=\\s*${makes}(?!\\s*[.(])`, "g")
  const names = [...text.matchAll(made)].map(([, name = ""]) => name)
  // Its own name would stand for what it is set to.
  const free = text.replaceAll(
    made,
    (found, name: string) => name === "require" ? found.replace("require", "ownRequire") : found
  )
  const calls = names.filter((name) => name !== "require").map((name) => name.replaceAll("$", "\\$"))
  const called = new RegExp(
    `(?<![\\w$.])(?:${[...calls, makes].join("|")})(?=\\s*(?:\\.resolve\\s*)?\\(\\s*["'\`])`,
    "g"
  )
  return free.replaceAll(called, "require")
}
