/** A saved component, as an import names it: `registry:<key>` or `registry:<key>@<version>` (`docs/workflows.md`, "Actions"). */
export interface RegistrySpecifier {
  readonly key: string
  /** The newest where none is given. */
  readonly version: string | undefined
}

const prefix = "registry:"

export const is = (specifier: string): boolean => specifier.startsWith(prefix)

/** Nothing, where it means no component. */
export const parse = (specifier: string): RegistrySpecifier | undefined => {
  const text = is(specifier) ? specifier.slice(prefix.length) : ""
  // A key can begin with an @.
  const at = text.lastIndexOf("@")
  const key = at > 0 ? text.slice(0, at) : text
  const version = at > 0 ? text.slice(at + 1) : undefined
  return key === "" || version === "" ? undefined : { key, version }
}

export const format = ({ key, version }: RegistrySpecifier): string =>
  prefix + (version === undefined ? key : `${key}@${version}`)
