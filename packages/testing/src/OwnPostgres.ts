import { DataDirectory } from "@headwater/postgres/DataDirectory"
import { EmbeddedPostgres } from "@headwater/postgres/EmbeddedPostgres"
import { Effect, Layer } from "effect"
import * as TemporaryDirectory from "./TemporaryDirectory.ts"

/** A Postgres of the test's own, for what concerns a whole server or needs other settings than the shared one has. */
export const layer = (settings: Readonly<Record<string, string>>) =>
  EmbeddedPostgres.layer({ settings: { fsync: "off", ...settings } }).pipe(
    Layer.provide(Layer.unwrap(Effect.map(TemporaryDirectory.makeForDatabase("test"), DataDirectory.layer)))
  )
