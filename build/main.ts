/**
 * `npm run pack -- <folder> [package…]`: packs the package `headwater`, or packages of this repository, with those of it
 * that they need.
 */
import * as Path from "node:path"
import * as HeadwaterPackage from "./HeadwaterPackage.ts"
import * as PackedPackages from "./PackedPackages.ts"

const [folder, ...names] = process.argv.slice(2)
if (folder === undefined) {
  console.error("Usage: npm run pack -- <folder> [package…]")
  process.exit(1)
}
const destination = Path.resolve(folder)
if (names.length === 0) console.log(await HeadwaterPackage.pack(destination))
else for (const archive of (await PackedPackages.pack(names, destination)).values()) console.log(archive)
