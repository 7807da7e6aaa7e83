import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const memory = "/dev/shm"

/** Far more than the folders of a process take, in bytes. */
const enough = 1024 ** 3

/** In memory, where there is enough of it: the many files of a database are made and removed there in half the time. */
const place = (): string => {
  if (!Fs.existsSync(memory)) return Os.tmpdir()
  const { bavail, bsize } = Fs.statfsSync(memory)
  return bavail * bsize >= enough ? memory : Os.tmpdir()
}

const prefix = "headwater-testing-"

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** Those of processes that were killed. */
const removeAbandoned = (folder: string): void => {
  for (const name of Fs.readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
    if (Number.isNaN(pid) || isAlive(pid)) continue
    try {
      Fs.rmSync(Path.join(folder, name), { recursive: true, force: true })
    } catch {
      // It is another user's.
    }
  }
}

let made: string | undefined

const folder = (): string => {
  if (made !== undefined) return made
  const parent = place()
  removeAbandoned(parent)
  const folder = made = Fs.mkdtempSync(Path.join(parent, `${prefix}${process.pid}-`))
  Fs.chmodSync(folder, 0o711)
  process.once("exit", () => Fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A new folder that goes with the process, or, if that is killed, with the next that makes one. */
export const make = (name: string): string => Fs.mkdtempSync(Path.join(folder(), `${name}-`))
