import { Console, Deferred, Effect } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { createServer } from "node:http"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import * as Output from "../text/Output.ts"

const done = "<!doctype html><meta charset=\"utf-8\"><title>Headwater</title><p>You can close this page.</p>"

/** A page on this machine to which the user's browser comes in the end: its URL, and the query with which it came. */
const listener = Effect.gen(function*() {
  const arrived = Deferred.makeUnsafe<URLSearchParams>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
    if (pathname !== "/connected") return void response.writeHead(404).end()
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", connection: "close" }).end(done)
    Deferred.doneUnsafe(arrived, Effect.succeed(searchParams))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/connected`, arrived: Deferred.await(arrived) }
})

const complete = Effect.fnUntraced(function*(id: string, confirmation: string) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ appAccounts }) =>
    appAccounts.completeConnection({ headers: {}, params: { id }, payload: { confirmation } })
  )
  return data
})

/** The user's browser is on this machine. */
const byBrowser = Effect.fnUntraced(function*(id: string) {
  const { call } = yield* ApiAccess
  const { arrived, url: return_to } = yield* listener
  const { data } = yield* call(({ appAccounts }) =>
    appAccounts.connect({ headers: {}, params: { id }, payload: { return_to } })
  )
  yield* Console.error(
    `Open this page, and agree (the provider has to know the redirect URI ${data.redirect_uri}):\n${data.url}`
  )
  const query = yield* arrived
  const confirmation = query.get("confirmation")
  if (confirmation === null) {
    return yield* new CommandRefused({ message: `The provider says: ${query.get("error") ?? "nothing"}` })
  }
  return yield* complete(id, confirmation)
}, Effect.scoped)

/** The user's browser is elsewhere: it shows what is to be entered here. */
const byPaste = Effect.fnUntraced(function*(id: string) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ appAccounts }) => appAccounts.connect({ headers: {}, params: { id }, payload: {} }))
  yield* Console.error(
    `Open this page, and agree (the provider has to know the redirect URI ${data.redirect_uri}):\n${data.url}`
  )
  const confirmation = yield* Prompt.String({ message: "What the page shows in the end" })
  return yield* complete(id, confirmation.trim())
})

const byDevice = Effect.fnUntraced(function*(id: string) {
  const { call } = yield* ApiAccess
  const { data } = yield* call(({ appAccounts }) =>
    appAccounts.connect({ headers: {}, params: { id }, payload: { device: true } })
  )
  yield* Console.error(`Open ${data.url} on any machine, and enter the code ${data.user_code}`)
  const ask = complete(id, data.confirmation ?? "").pipe(
    Effect.catchTag(
      "ConnectionPendingProblem",
      ({ details }) => Effect.as(Effect.sleep(details.retry_after_seconds * 1_000), undefined)
    )
  )
  for (;;) {
    const account = yield* ask
    if (account !== undefined) return account
  }
})

export const connectCommand = Command.make(
  "connect",
  {
    named: ResourceCommand.argumentOf(Kind.appAccount),
    device: Flag.Boolean("device").pipe(
      Flag.withDescription("Enter a code on a page of the provider's, on any machine"),
      Flag.withDefault(false)
    ),
    paste: Flag.Boolean("paste").pipe(
      Flag.withDescription("The browser is on another machine: enter here what it shows in the end"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ device, json, named, paste }) {
    const id = yield* Naming.idOf(Kind.appAccount, named)
    const account = yield* device ? byDevice(id) : paste ? byPaste(id) : byBrowser(id)
    const { expires_at: expiresAt, renewable } = account.oauth!
    yield* Output.print(
      json,
      account,
      `Connected ${id}. ` + (renewable
        ? "The server renews its token."
        : expiresAt === null
        ? "Its token is not renewed: the provider gave no refresh token."
        : `Its token ends at ${Output.time(expiresAt)}: the provider gave no refresh token.`)
    )
  })
).pipe(
  Command.withDescription("Connect an account over OAuth 2: open a page of the provider's and agree"),
  Command.withExamples([
    {
      command: "headwater credentials connect North",
      description: "With a browser on this machine"
    },
    { command: "headwater credentials connect North --device", description: "With a code" }
  ])
)
