import { version } from "@headwater/domain/Version"

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  // All else takes much longer to load than this does to say.
  process.stdout.write(`headwater v${version}\n`)
} else {
  const { become } = await import("./Process.ts")
  become(args)
}
