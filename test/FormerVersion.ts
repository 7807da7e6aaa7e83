import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"

const root = Path.resolve(import.meta.dirname, "..")

const run = promisify(execFile)

const unpack = async (commit: string, folder: string): Promise<void> => {
  await run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).catch((cause: unknown) => {
    throw new Error(
      `An upgrade is tested from commit ${commit}, which is not in the history of this clone. In a shallow clone, run ` +
        "`git fetch --unshallow`; a folder without history can't test it.",
      { cause }
    )
  })
  const archive = Path.join(folder, "former.tar")
  await run("git", ["archive", "--output", archive, commit], { cwd: root })
  await run("tar", ["-xf", archive, "-C", folder])
  await Fs.rm(archive)
}

/** Its own workspaces beside the packages that are installed here. */
const link = async (folder: string): Promise<void> => {
  const own = Path.join(folder, "node_modules/@headwater")
  await Fs.mkdir(own, { recursive: true })
  for (const group of ["apps", "packages"]) {
    for (const name of await Fs.readdir(Path.join(folder, group))) {
      await Fs.symlink(Path.join(folder, group, name), Path.join(own, name))
    }
  }
  for (const name of await Fs.readdir(Path.join(root, "node_modules"))) {
    if (name === "@headwater" || name.startsWith(".")) continue
    await Fs.symlink(Path.join(root, "node_modules", name), Path.join(folder, "node_modules", name))
  }
}

/** A folder with a version before this one in it, which can be started as this one can, on the packages that are installed here. */
const make = (commit: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.tap(
    TemporaryDirectory.make("former"),
    (folder) => Effect.promise(() => unpack(commit, folder).then(() => link(folder)))
  )

/** The version whose schema is the baseline. Go on to a later one when it does not run on these packages. */
export const ofBaseline = make("f512fa71a03510b5f68f66df0f721874dfd1b08b")

/** The oldest version that this one can be beside. Go on to a later one when `oldestBeside` of `Migrations.ts` is raised. */
export const beside = make("bf73ca4c7b7f6fa80f6f32f41fff8b644b3c7452")
