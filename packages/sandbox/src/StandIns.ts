import { extname } from "node:path"
import { fileURLToPath } from "node:url"

const pathOf = (file: string): string =>
  fileURLToPath(new URL(`./standins/${file}${extname(import.meta.url)}`, import.meta.url))

/** Modules that components import and that no registry is asked for (`components.md`): paths by package. */
export const standIns: Readonly<Record<string, string>> = {
  "@headwater/component": fileURLToPath(import.meta.resolve("@headwater/component")),
  "@pipedream/platform": pathOf("Platform"),
  "@pipedream/types": pathOf("Types")
}
