import * as Fs from "node:fs"
import * as Path from "node:path"

const source = Fs.readFileSync(Path.resolve(import.meta.dirname, "../../apps/console/src/routes.ts"), "utf8")

/** The paths of all pages of the console, as its routes have them: a segment that begins with `:` stands for any. */
export const paths: ReadonlyArray<ReadonlyArray<string>> = [...source.matchAll(/\{ path: (\[.+?\]), title/g)].map(
  ([, path]) => JSON.parse(path!) as ReadonlyArray<string>
)
