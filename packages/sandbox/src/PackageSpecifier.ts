/** A module of an npm package, as an import names it (`components.md`, "Module"). */
export interface PackageSpecifier {
  readonly name: string
  /** A range of versions or a dist-tag, where one is given. */
  readonly range: string | undefined
  /** The rest of the path, with its slash, or empty for the package itself. */
  readonly subpath: string
}

const pattern = /^(?:npm:\/?)?((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@([\w.~^<>=|*+ -]+))?(\/.*)?$/i

/** Reads `name`, `@scope/name@1/sub/path.js`, `npm:name@^2`. Nothing, where it means no package. */
export const parse = (specifier: string): PackageSpecifier | undefined => {
  const [, name, range, subpath = ""] = pattern.exec(specifier) ?? []
  const leadsOut = subpath.split("/").includes("..")
  return name === undefined || leadsOut ? undefined : { name, range, subpath }
}

export const format = ({ name, range, subpath }: PackageSpecifier): string =>
  `npm:${name}${range === undefined ? "" : `@${range}`}${subpath}`
