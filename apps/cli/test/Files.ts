import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** Writes files into a folder, by their paths in it. */
export const write = (folder: string, files: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const [name, text] of Object.entries(files)) {
      const path = Path.join(folder, name)
      await Fs.mkdir(Path.dirname(path), { recursive: true })
      await Fs.writeFile(path, text)
    }
  })

/** A folder of these files, for as long as the scope is open. */
export const make = (files: Readonly<Record<string, string>>) =>
  Effect.tap(TemporaryDirectory.make("component"), (folder) => write(folder, files))

/** The paths of all files below a folder, from it. */
export const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () =>
    (await Fs.readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => Path.relative(folder, Path.join(parentPath, name)))
      .toSorted()
  )
