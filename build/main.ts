/** `npm run pack -- <folder> <package…>`: packs packages of this repository, with those of it that they need. */
import * as Path from "node:path"
import { pack } from "./PackedPackages.ts"

const [folder, ...names] = process.argv.slice(2)
if (folder === undefined || names.length === 0) {
  console.error("Usage: npm run pack -- <folder> <package…>")
  process.exit(1)
}
for (const archive of (await pack(names, Path.resolve(folder))).values()) console.log(archive)
