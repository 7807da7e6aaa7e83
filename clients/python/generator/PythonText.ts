const width = 120

/** Lines that are not empty, further to the right. */
export const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line === "" ? "" : `    ${line}`)

/** Text on lines of at most so many characters. */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** The descriptions of a function's parameters, by their names. */
export type Arguments = ReadonlyArray<readonly [name: string, description: string]>

/** A docstring `depth` characters from the left. None of nothing. */
export const docstring = (
  paragraphs: ReadonlyArray<string | undefined>,
  depth: number,
  args: Arguments = []
): ReadonlyArray<string> => {
  const room = width - depth - 3
  const texts = paragraphs.filter((paragraph) => paragraph !== undefined).filter((paragraph) => paragraph !== "")
  const lines = [
    ...texts.flatMap((text, index) => [...(index === 0 ? [] : [""]), ...wrapped(text, room)]),
    ...(args.length === 0 ? [] : ["", "Args:"]),
    ...args.flatMap(([name, description]) => {
      const [first, ...others] = wrapped(`${name}: ${description}`, room - 8)
      return indented([first!, ...indented(others)])
    })
  ].map((line) => line.replaceAll("\\", "\\\\").replaceAll("\"\"\"", "'''"))
  const [first, ...others] = lines
  if (first === undefined) return []
  if (others.length > 0) return [`"""${first}`, ...others, "\"\"\""]
  const whole = `"""${first}${first.endsWith("\"") ? " " : ""}"""`
  return depth + whole.length <= width ? [whole] : [`"""${first}`, "\"\"\""]
}

/** A line, or several of one whose texts to choose from are too long for it. */
export const fitted = (line: string, depth: number): ReadonlyArray<string> => {
  const [, opening, texts, closing] = /^(.*Literal\[)(.*)(\].*)$/.exec(line) ?? []
  if (depth + line.length <= width || opening === undefined) return [line]
  return [opening, ...indented(texts!.split(", ").map((text) => `${text},`)), closing!]
}

/** `opening part, part closing`, or each part on lines of its own if they are too long for one. */
export const enclosed = (
  opening: string,
  parts: ReadonlyArray<string>,
  closing: string,
  depth: number
): ReadonlyArray<string> => {
  const whole = `${opening}${parts.join(", ")}${closing}`
  if (depth + whole.length <= width && !whole.includes("\n")) return [whole]
  const lines = parts.flatMap((part) => `${part},`.split("\n")).flatMap((line) => fitted(line, depth + 4))
  return [opening, ...indented(lines), closing]
}

/** A value of JSON as Python writes it. */
export const literal = (value: unknown): string => {
  if (value === true) return "True"
  if (value === false) return "False"
  return value === null ? "None" : JSON.stringify(value)
}
