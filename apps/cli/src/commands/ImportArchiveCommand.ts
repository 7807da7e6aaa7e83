import { Console, Effect, Option, Redacted, Stdio } from "effect"
import { Flag, Prompt } from "effect/cli"
import * as AccessFile from "../access/AccessFile.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ArchivedProject from "../moving/ArchivedProject.ts"
import type { Count } from "../moving/ArchiveFetch.ts"
import * as ArchiveFolder from "../moving/ArchiveFolder.ts"
import * as ArchivePassphrase from "../moving/ArchivePassphrase.ts"
import * as Archiving from "../moving/Archiving.ts"
import * as HostedApi from "../moving/HostedApi.ts"
import * as SealedFile from "../moving/SealedFile.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Progress from "../text/Progress.ts"

const refuse = (message: string) => new CommandRefused({ message })

/** Has the key in place of a terminal. It is no argument, which others of the machine can see. */
const keyVariable = "PD_API_KEY"

/** The flags by which an archive is made. */
export const flags = {
  archive: Flag.String("archive").pipe(
    Flag.withDescription(
      `Fetch what the service's API gives of an account into this folder, with the key in ${keyVariable} or asked for`
    ),
    Flag.optional
  ),
  from: HostedApi.fromFlag("With --archive: the base URL of the API"),
  org: Flag.String("org").pipe(
    Flag.withDescription("With --archive: the id of a workspace, in place of the user's own account"),
    Flag.filter((id) => /^[\w-]{1,100}$/.test(id), () => "Expected the id of a workspace, such as o_Qa8I1Z"),
    Flag.optional
  ),
  workflow: Flag.String("workflow").pipe(
    Flag.withDescription("With --archive: the id of a workflow (p_…), which no call lists; may be repeated"),
    Flag.filter(
      (id) => Archiving.isWorkflowId(id),
      (id) => `Expected the id of a workflow, such as p_YyCOzW, not ${id}`
    ),
    Flag.atLeast(0)
  ),
  project: Flag.String("project").pipe(
    Flag.withDescription("With --archive: a folder, zip or repository with the project, whose workflows are fetched"),
    Flag.atLeast(0)
  ),
  again: Flag.Boolean("again").pipe(
    Flag.withDescription("With --archive: fetch anew what is there already"),
    Flag.withDefault(false)
  ),
  rate: Flag.Int("rate").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("With --archive: the most requests in a second"),
    Flag.filter((rate) => rate >= 1 && rate <= 100, () => "Expected 1 to 100"),
    Flag.withDefault(5)
  )
}

const keyOf = Effect.fnUntraced(function*(from: string) {
  const given = yield* AccessFile.variable(keyVariable)
  const isAsked = Option.isNone(given) && (yield* (yield* Stdio.Stdio).stdinIsTerminal)
  if (Option.isNone(given) && !isAsked) {
    return yield* refuse(`the key of the service is needed: set ${keyVariable}, or run this at a terminal`)
  }
  const key = Option.isSome(given)
    ? given.value
    : Redacted.value(yield* Prompt.Password({ message: `API key for ${from}` })).trim()
  // Characters that can't stand in a header would be told as a fault of the connection.
  if (!/^[\x21-\x7e]+$/.test(key)) return yield* refuse(`that is no API key: it has spaces, or other characters`)
  return Redacted.make(key)
})

/** The passphrase of an archive, which must open all that is sealed in it already. */
const passphraseOf = Effect.fnUntraced(function*(folder: string, { sealedFiles }: ArchiveFolder.Filling) {
  const sealed = yield* sealedFiles
  if (sealed.length === 0) return yield* ArchivePassphrase.made(folder)
  const passphrase = yield* ArchivePassphrase.known(folder)
  yield* Effect.forEach(sealed, (file) => SealedFile.read(file, passphrase), { discard: true })
  return passphrase
})

const linesOf = (counts: ReadonlyMap<string, Count>, { missing }: ArchiveFolder.Archive) => [
  ...[...counts].map(([kind, { all, fetched }]) =>
    `  ${kind.padEnd(14)} ${all}${fetched < all ? `, of which ${all - fetched} were there` : ""}`
  ),
  ...missing.map(({ id, what, why }) => `  missing        ${what}${id === "" ? "" : ` ${id}`}: ${why}`)
]

export interface Given {
  readonly archive: string
  readonly from: string
  readonly org: Option.Option<string>
  readonly workflow: ReadonlyArray<string>
  readonly project: ReadonlyArray<string>
  readonly again: boolean
  readonly rate: number
  readonly json: boolean
}

/** Refuses flags of which nothing would be done without `--archive`. */
export const refuseFlags = Effect.fnUntraced(
  function*({ again, org, project, workflow }: Pick<Given, "again" | "org" | "project" | "workflow">) {
    const given = [
      ...(Option.isSome(org) ? ["--org"] : []),
      ...(workflow.length > 0 ? ["--workflow"] : []),
      ...(project.length > 0 ? ["--project"] : []),
      ...(again ? ["--again"] : [])
    ]
    if (given.length > 0) {
      return yield* refuse(`${given.join(", ")}: fetches an archive: give --archive with its folder, too`)
    }
  }
)

/** Fetches an archive. */
export const fetchArchive = Effect.fnUntraced(
  function*({ again, archive, from, json, org, project, rate, workflow }: Given) {
    const key = yield* keyOf(from)
    const api = yield* HostedApi.make({ from, key, rate })
    const workspace = Option.getOrUndefined(org)
    const owner = yield* Effect.catchTag(
      Archiving.ownerOf(api, workspace),
      "NotGiven",
      ({ message }) => refuse(`${from}/users/me: ${message}`)
    )
    const folder = yield* ArchiveFolder.fill(archive, { from, owner })
    const ids = yield* Effect.forEach(project, (each) => ArchivedProject.take(each, archive))
    let now: string | undefined = "accounts"
    // It may be asked for, while what is being fetched is shown.
    const passphrase = yield* Effect.suspend(() => {
      now = undefined
      return Effect.andThen(Progress.cleared, passphraseOf(archive, folder))
    }).pipe(Effect.cached)
    const { archive: made, counts } = yield* Archiving.run({
      again,
      api,
      doing: (what) => void (now = what),
      folder,
      org: workspace,
      passphrase,
      workflows: [...workflow, ...ids.flat()]
    }).pipe(Progress.during(() => now === undefined ? undefined : `Fetching ${now}`))
    if (json) {
      return yield* Console.log(
        JSON.stringify({ archive, counts: Object.fromEntries(counts), missing: made.missing })
      )
    }
    yield* Console.log(harmless([
      `Archived ${owner.org ?? owner.username ?? owner.id} of ${from} in ${archive}`,
      ...linesOf(counts, made),
      ...(made.missing.length === 0 ? [] : ["Run the command again to ask for what is missing."]),
      `Import from it with: headwater import pipedream ${archive}`
    ].join("\n")))
  },
  Effect.provide(HostedApi.layer)
)
