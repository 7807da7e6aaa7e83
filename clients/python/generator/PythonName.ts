const keywords = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield").split(" ")
)

const words = (name: string): ReadonlyArray<string> =>
  name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/).filter((word) => word !== "")

/** Of a class: `autoSubscriptions` and `auto_subscriptions` as `AutoSubscriptions`. */
export const classOf = (name: string): string =>
  words(name).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

/** Of a method or parameter: `getSecret` as `get_secret`, and `from`, which is a keyword, as `from_`. */
export const memberOf = (name: string): string => {
  const member = words(name).map((word) => word.toLowerCase()).join("_")
  return keywords.has(member) ? `${member}_` : member
}

/** True if a class can have a field of this name. */
export const isField = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name)
