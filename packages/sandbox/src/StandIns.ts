import { extname } from "node:path"
import { fileURLToPath } from "node:url"

const pathOf = (file: string): string =>
  fileURLToPath(new URL(`./standins/${file}${extname(import.meta.url)}`, import.meta.url))

/** Modules of our own that components import by the names of others (`components.md`): paths by package. */
export const standIns: Readonly<Record<string, string>> = {
  "@pipedream/platform": pathOf("Platform"),
  "@pipedream/types": pathOf("Types")
}
