/**
 * `npm run pack -- <folder> [package…]`: packs what others install, or only the named ones of it.
 */
import * as Path from "node:path"
import { pack, type Published, published } from "./Archive.ts"

const [folder, ...names] = process.argv.slice(2)
const isPublished = (name: string): name is Published => published.some((one) => one === name)
const unknown = names.filter((name) => !isPublished(name))
if (folder === undefined || unknown.length > 0) {
  console.error(`Usage: npm run pack -- <folder> [package…]\nThe packages are ${published.join(", ")}.`)
  process.exit(1)
}
const chosen = names.length === 0 ? published : names.filter(isPublished)
for (const archive of Object.values(await pack(chosen, Path.resolve(folder)))) console.log(archive)
