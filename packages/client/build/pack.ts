import * as Package from "./Package.ts"

const [destination = "."] = process.argv.slice(2)
process.stdout.write(`${await Package.pack(destination)}\n`)
