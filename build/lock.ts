/**
 * `npm run lock`: adds the packages of all platforms to package-lock.json, as far as npm's registry has them.
 */
import { complete } from "./LockFile.ts"
import { root } from "./Package.ts"

for (const name of await complete(root)) console.log(`The registry has no ${name}.`)
