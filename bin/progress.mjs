// Says on standard error how far an installation is, until it is ended: on a terminal in one line that is written over,
// elsewhere in a line now and then.
import { existsSync, readFileSync } from "node:fs"

const root = new URL("..", import.meta.url)
const { packages } = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8"))

const admits = (list, value) => list === undefined || list.includes(value)

/** The folders that a package of the registry goes to on this platform. */
const waiting = new Set(
  Object.entries(packages).flatMap(([folder, { cpu, libc, link, optional, os, peer }]) =>
    folder.includes("node_modules/") && link !== true && !(optional && peer) && admits(os, process.platform) &&
      admits(cpu, process.arch) &&
      admits(libc, "glibc")
      ? [folder]
      : []
  )
)
const all = waiting.size

const began = Date.now()
const parent = process.ppid
const isWatched = process.stderr.isTTY && process.env.TERM !== "dumb"
let saidAt = began

const stage = () => {
  for (const folder of waiting) if (existsSync(new URL(`${folder}/package.json`, root))) waiting.delete(folder)
  const done = all - waiting.size
  if (done === 0) return "Asking the registry for packages"
  return waiting.size === 0 ? "Setting up Node, Deno and Postgres" : `${done} of ${all} packages`
}

const say = () => {
  // A shell that is interrupted leaves this behind.
  if (process.ppid !== parent) process.exit()
  const seconds = Math.floor((Date.now() - began) / 1_000)
  const line = `  ${stage()}, ${seconds} s`
  if (isWatched) return process.stderr.write(`\r\u001b[K${line}`)
  if (Date.now() - saidAt < 10_000) return
  saidAt = Date.now()
  process.stderr.write(`${line}\n`)
}

process.once("SIGTERM", () => {
  if (isWatched) process.stderr.write("\r\u001b[K")
  process.exit()
})
setInterval(say, 500)
