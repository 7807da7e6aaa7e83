/**
 * Definitions that say that they are written to these types carry this, so that the server checks them as the compiler
 * does. Its value is what they define.
 */
const defined = Symbol.for("@headwater/component")

const define = (kind) => (definition) => Object.defineProperty(definition, defined, { value: kind })

export const defineSource = define("source")

export const defineWorkflow = define("workflow")

export const defineApp = define("app")
