import * as Generation from "./Generation.ts"

await Generation.generate()
