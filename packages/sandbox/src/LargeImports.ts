/** The message about imports that are more than a component may have. */

/** A module with what it imports, in characters: every process that runs it is sent the module. */
export const maxCharacters = 16 * 1024 * 1024

/**
 * The same with its source map and the versions of its packages, in bytes of the JSON that is stored of them in one
 * row.
 */
export const maxStoredBytes = 24 * 1024 * 1024

/** Packages that hold all of a vendor's services, and what to import for one of them. */
const partsOf: Readonly<Record<string, string>> = {
  "aws-sdk": "aws-sdk@2/clients/<service>, such as aws-sdk@2/clients/s3, or @aws-sdk/client-<service>",
  googleapis: "@googleapis/<api>, such as @googleapis/drive"
}

const counted = (count: number): string => count.toLocaleString("en")

const partOf = (name: string): string => {
  const part = Object.hasOwn(partsOf, name) ? partsOf[name] : undefined
  return part === undefined
    ? "import less of it: use a path in the package, or a package with only one service"
    : `instead import ${part}`
}

/** @param largest the package that takes the most, and how many characters */
export const tooLarge = (characters: number, largest: { readonly name: string; readonly characters: number }): string =>
  `The component, with its imports, has ${counted(characters)} characters of code, over the limit of ` +
  `${counted(maxCharacters)}. The package ${JSON.stringify(largest.name)} takes ${
    counted(largest.characters)
  } of them: ` +
  partOf(largest.name)

/**
 * @param why the limit that they are over
 * @param names all that the component imports
 */
export const tooMuch = (why: string, names: ReadonlyArray<string>): string => {
  const known = names.filter((name) => Object.hasOwn(partsOf, name))
  const advice = known.length === 0
    ? `import less of ${names.map((name) => JSON.stringify(name)).join(", ")}`
    : known.map(partOf).join(", and ")
  return `The component's imports can't be bundled: ${why}. To make them smaller, ${advice}`
}
