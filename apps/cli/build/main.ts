/** Builds the command where nobody changes its sources, as in an image. */
import * as Path from "node:path"
import { write } from "./CommandBuild.ts"

await write(Path.resolve(import.meta.dirname, "../dist"))
