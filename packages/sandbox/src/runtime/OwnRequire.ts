/** `createRequire` of `node:module`, whose own would look for files: what a component imports is part of its module. */
import nodeModule from "node:module"

const { getBuiltinModule } = process

/** The place at which a module thinks that it is. */
const place = "file:///package/"

const missing = (id: string) =>
  Object.assign(new Error(`Cannot find module '${id}'`), { code: "MODULE_NOT_FOUND", requireStack: [] })

const isPath = /^\.{0,2}\//

const require = (id: unknown): unknown => {
  const found = getBuiltinModule(String(id))
  if (found === undefined) throw missing(String(id))
  return found
}

/**
 * A path names some file of the component's packages, which are part of its module: that it is one is taken for
 * granted.
 */
const resolveId = (id: unknown): string => {
  const text = String(id)
  if (isPath.test(text)) return new URL(text, place).pathname
  if (getBuiltinModule(text) === undefined) throw missing(text)
  return text
}

const resolve = Object.assign(resolveId, { paths: () => ["/node_modules"] })

const createRequire = () =>
  Object.assign(require.bind(undefined), { resolve, cache: {}, extensions: {}, main: undefined })

export const installOwnRequire = (): void => {
  Object.defineProperty(nodeModule, "createRequire", {
    value: createRequire,
    writable: true,
    configurable: true,
    enumerable: true
  })
}
