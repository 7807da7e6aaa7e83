import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { createReadStream, createWriteStream, existsSync } from "node:fs"
import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { createBrotliDecompress } from "node:zlib"
import { type Browser, chromium } from "playwright-core"

const run = promisify(execFile)

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium"
]

/** A browser to run, and what it needs in its environment. */
interface Executable {
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
}

const packed = Path.resolve(Path.dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../bin")
const unpacked = Path.resolve(import.meta.dirname, "../../node_modules/.cache/headwater-chromium")

const decompress = (name: string, target: string) =>
  pipeline(
    createReadStream(Path.join(packed, name)),
    createBrotliDecompress(),
    createWriteStream(target, { mode: 0o755 })
  )

const extract = async (name: string, directory: string): Promise<void> => {
  const archive = Path.join(directory, "archive.tar")
  await decompress(name, archive)
  await run("tar", ["-xf", archive, "-C", directory])
  await Fs.rm(archive)
}

/** Text is drawn with the font that came along, so that it looks the same everywhere, and is there at all. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${unpacked}/fonts</dir><cachedir>${unpacked}/fonts-cache</cachedir></fontconfig>
`

/** The Chromium that a development dependency brings, compressed, with a font and the libraries that a bare system lacks. */
const unpack = async (): Promise<Executable> => {
  const path = Path.join(unpacked, "chromium")
  if (!existsSync(path)) {
    await Fs.mkdir(Path.dirname(unpacked), { recursive: true })
    const making = await Fs.mkdtemp(`${unpacked}-`)
    await decompress("chromium.br", Path.join(making, "chromium"))
    await extract("fonts.tar.br", making)
    await extract("al2023.tar.br", making)
    await Fs.writeFile(Path.join(making, "fonts.conf"), fontSettings)
    // Somebody else may have been faster, with the same.
    await Fs.rename(making, unpacked).catch(() => Fs.rm(making, { recursive: true }))
  }
  const { stdout } = await run("ldd", [path])
  return {
    path,
    environment: {
      FONTCONFIG_FILE: Path.join(unpacked, "fonts.conf"),
      ...(stdout.includes("not found") ? { LD_LIBRARY_PATH: Path.join(unpacked, "lib") } : {})
    }
  }
}

const executable = async (): Promise<Executable> => {
  const path = installed.find(existsSync)
  return path === undefined ? unpack() : { path, environment: {} }
}

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/**
 * A real browser without a window: the system's own Chromium, or else the one of the development dependencies. A
 * `FONTCONFIG_FILE` in the environment says which other fonts it has than the one that came along.
 */
export const launch: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const { environment, path } = await executable()
    const { PATH, HOME, FONTCONFIG_FILE } = process.env
    return chromium.launch({
      executablePath: path,
      args: flags,
      env: {
        ...(PATH === undefined ? {} : { PATH }),
        ...(HOME === undefined ? {} : { HOME }),
        ...environment,
        ...(FONTCONFIG_FILE === undefined ? {} : { FONTCONFIG_FILE })
      }
    })
  }),
  (browser) => Effect.promise(() => browser.close())
)
