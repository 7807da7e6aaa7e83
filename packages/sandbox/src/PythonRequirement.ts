/** The requirements of Python packages: names, versions and the conditions under which they hold (PEP 440 and 508). */

/** A requirement as it is written, such as `name[extra]>=1.0,<2; python_version > "3"`. */
export interface PythonRequirement {
  /** Normalized. */
  readonly name: string
  readonly extras: ReadonlyArray<string>
  readonly specifiers: ReadonlyArray<Specifier>
  /** As it is written; none if it always holds. */
  readonly marker: string | undefined
}

type Operator = "==" | "!=" | "<=" | ">=" | "<" | ">" | "~=" | "==="

interface Specifier {
  readonly operator: Operator
  readonly version: string
}

/** Names that differ in case, or in which of `-`, `_` and `.` they have, are the same. */
export const nameOf = (written: string): string => written.toLowerCase().replace(/[-_.]+/g, "-")

/** The most characters of a requirement that is read. */
export const mostCharacters = 500

const nameForm = /^([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?) ?(?:\[([^\]]*)\])?/i
const specifierForm = /^(===|~=|==|!=|<=|>=|<|>) ?([^ ()@]+)$/

/** Reads a requirement; nothing, where it is none of an index's packages. */
export const parse = (written: string): PythonRequirement | undefined => {
  if (written.length > mostCharacters) return undefined
  const [front = "", ...conditions] = written.trim().replaceAll(/\s+/g, " ").split(";")
  const [start, name, extras = ""] = nameForm.exec(front) ?? []
  if (start === undefined || name === undefined) return undefined
  const rest = front.slice(start.length).trim()
  const read = (rest.startsWith("(") && rest.endsWith(")") ? rest.slice(1, -1) : rest)
    .split(",").map((each) => each.trim()).filter((each) => each !== "").map((each) => specifierForm.exec(each))
  if (read.some((each) => each === null)) return undefined
  const marker = conditions.join(";").trim()
  return {
    name: nameOf(name),
    extras: extras.split(",").map((each) => nameOf(each.trim())).filter((each) => each !== ""),
    specifiers: read.map((each) => ({ operator: each![1] as Operator, version: each![2]! })),
    marker: marker === "" ? undefined : marker
  }
}

interface Version {
  readonly epoch: number
  readonly release: ReadonlyArray<number>
  /** Less than 0 before the release of this number, more behind it. */
  readonly phase: readonly [rank: number, number: number]
  readonly isPrerelease: boolean
}

const versionForm =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?(?:[-_.]?(post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+.*)?$/i

const ranks: Readonly<Record<string, number>> = {
  a: -3,
  alpha: -3,
  b: -2,
  beta: -2,
  c: -1,
  rc: -1,
  pre: -1,
  preview: -1
}

const versionOf = (text: string): Version | undefined => {
  const [, epoch = "0", release, pre, preNumber, post, postNumber, bare, dev, devNumber] = versionForm.exec(text) ?? []
  if (release === undefined) return undefined
  const phase: Version["phase"] = pre !== undefined
    ? [ranks[pre.toLowerCase()]!, Number(preNumber ?? 0)]
    : post !== undefined || bare !== undefined
    ? [1, Number(postNumber ?? bare ?? 0)]
    : dev !== undefined
    ? [-4, Number(devNumber ?? 0)]
    : [0, 0]
  return {
    epoch: Number(epoch),
    release: release.split(".").map(Number),
    phase,
    isPrerelease: pre !== undefined || dev !== undefined
  }
}

const compareLists = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Less than 0 if the first is older. A text that is no version is older than all versions. */
export const compare = (one: string, other: string): number => {
  const [left, right] = [versionOf(one), versionOf(other)]
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined)
  return left.epoch - right.epoch || compareLists(left.release, right.release) || compareLists(left.phase, right.phase)
}

export const isPrerelease = (version: string): boolean => versionOf(version)?.isPrerelease ?? true

const startsWith = (version: string, prefix: string): boolean => {
  const [whole, part] = [versionOf(version), versionOf(prefix)]
  return whole !== undefined && part !== undefined &&
    part.release.every((number, index) => (whole.release[index] ?? 0) === number)
}

const meets = (version: string, { operator, version: wanted }: Specifier): boolean => {
  const isPrefix = wanted.endsWith(".*")
  const plain = isPrefix ? wanted.slice(0, -2) : wanted
  switch (operator) {
    case "===":
      return version === wanted
    case "==":
      return isPrefix ? startsWith(version, plain) : compare(version, plain) === 0
    case "!=":
      return isPrefix ? !startsWith(version, plain) : compare(version, plain) !== 0
    case "~=": {
      const release = versionOf(plain)?.release ?? []
      return compare(version, plain) >= 0 && startsWith(version, release.slice(0, -1).join("."))
    }
    case "<=":
      return compare(version, plain) <= 0
    case ">=":
      return compare(version, plain) >= 0
    case "<":
      return compare(version, plain) < 0
    case ">":
      return compare(version, plain) > 0
  }
}

/** True if a version is one that all of these mean. */
export const allows = (specifiers: ReadonlyArray<Specifier>, version: string): boolean =>
  specifiers.every((specifier) => meets(version, specifier))

/** The same of a text such as `>=3.9,<4`; what can't be read means every version. */
export const allowsText = (specifiers: string, version: string): boolean =>
  allows(parse(`x${specifiers.replaceAll(" ", "")}`)?.specifiers ?? [], version)

/** Facts of the interpreter that the conditions are about. */
const facts: Readonly<Record<string, string>> = {
  implementation_name: "cpython",
  implementation_version: "3.14.2",
  os_name: "posix",
  platform_machine: "wasm32",
  platform_python_implementation: "CPython",
  platform_release: "",
  platform_system: "Emscripten",
  platform_version: "",
  python_full_version: "3.14.2",
  python_version: "3.14",
  sys_platform: "emscripten"
}

const versions = new Set(["implementation_version", "python_full_version", "python_version"])

const tokenForm = /\s*(\(|\)|'[^']*'|"[^"]*"|===|~=|==|!=|<=|>=|<|>|[a-z_.]+)/giy

const tokensOf = (marker: string): Array<string> => {
  const found: Array<string> = []
  tokenForm.lastIndex = 0
  for (let match = tokenForm.exec(marker); match !== null; match = tokenForm.exec(marker)) found.push(match[1]!)
  return found
}

const compared = (left: string, operator: string, right: string, isVersion: boolean): boolean => {
  if (operator === "in") return right.includes(left)
  if (operator === "not in") return !right.includes(left)
  if (isVersion) return meets(left, { operator: operator as Operator, version: right })
  return operator === "==" || operator === "===" ? left === right : operator === "!=" ? left !== right : false
}

/** True if the condition of a requirement holds, where its package is asked for with these extras. */
export const holds = (marker: string | undefined, extras: ReadonlyArray<string>): boolean => {
  if (marker === undefined) return true
  const tokens = tokensOf(marker)
  const valueOf = (token: string, extra: string): string =>
    /^['"]/.test(token) ? token.slice(1, -1) : token === "extra" ? extra : facts[token] ?? ""
  const evaluate = (extra: string): boolean => {
    let at = 0
    const term = (): boolean => {
      if (tokens[at] === "(") {
        at += 1
        const inner = either()
        at += 1
        return inner
      }
      const left = tokens[at++] ?? "''"
      const operator = tokens[at] === "not" ? `not ${tokens[at += 1]}` : tokens[at] ?? "=="
      at += 1
      const right = tokens[at++] ?? "''"
      const isVersion = versions.has(left) || versions.has(right)
      const isExtra = left === "extra" || right === "extra"
      const [first, second] = [valueOf(left, extra), valueOf(right, extra)]
      return isExtra
        ? compared(nameOf(first), operator, nameOf(second), false)
        : compared(first, operator, second, isVersion)
    }
    const both = (): boolean => {
      let result = term()
      while (tokens[at] === "and") {
        at += 1
        const next = term()
        result &&= next
      }
      return result
    }
    const either = (): boolean => {
      let result = both()
      while (tokens[at] === "or") {
        at += 1
        const next = both()
        result ||= next
      }
      return result
    }
    return either()
  }
  return ["", ...extras].some(evaluate)
}
