import { parse } from "acorn"

const isParsed = (code: string, sourceType: "module" | "commonjs"): boolean => {
  try {
    parse(code, { ecmaVersion: "latest", sourceType, allowHashBang: true })
    return true
  } catch {
    return false
  }
}

/** The ending of a file of code in this language, which is JavaScript or TypeScript unless it is named. */
export const of = (language: string, code: string): string =>
  language.startsWith("py")
    ? "py"
    : language.startsWith("go")
    ? "go"
    : /^(bash|sh)/.test(language)
    ? "sh"
    : isParsed(code, "module") || isParsed(code, "commonjs")
    ? "js"
    : "ts"
