import { type ApiKey, KeyScope, maxOverlapSeconds } from "@headwater/domain/ApiKey"
import { ApiKeys, type NewApiKey } from "@headwater/log/access/ApiKeys"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Operator from "../access/Operator.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as TimeFlag from "../given/TimeFlag.ts"
import * as Output from "../text/Output.ts"

const maxNameLength = 1_000

const account = Argument.String("account").pipe(Argument.withDescription("Its id or username"))

const keyId = Argument.String("key").pipe(Argument.withDescription("Its id, which begins with key_"))

const valueOf = (key: ApiKey) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  scope: key.scope,
  created_at: key.createdAt,
  expires_at: key.expiresAt
})

const printNew = (json: boolean, made: NewApiKey) => {
  const key = Redacted.value(made.key)
  return Output.print(
    json,
    { ...valueOf(made), key },
    Output.table([
      ["Key id", made.id],
      ["Name", made.name],
      ["Scope", made.scope],
      ["Account", made.accountId],
      ["API key", `${key}   shown only once: save it`]
    ])
  )
}

const unknownKey = (id: string) => new CommandRefused({ message: `There is no live key ${JSON.stringify(id)}` })

const findKey = Effect.fnUntraced(function*(id: string) {
  const found = yield* (yield* ApiKeys).getById(id)
  return yield* Effect.mapError(Effect.fromOption(found), () => unknownKey(id))
})

const create = Command.make(
  "create",
  {
    account,
    name: Flag.String("name").pipe(
      Flag.filter(
        (text) => /^\P{C}*$/u.test(text) && text.length <= maxNameLength,
        () => `at most ${maxNameLength} printable characters`
      ),
      Flag.withDescription("What the key is for"),
      Flag.withDefault("")
    ),
    scope: Flag.Literals("scope", KeyScope.literals).pipe(
      Flag.withDescription(
        "What the key may do: read shows things, run also runs and sends what exists, write (the default) does everything"
      ),
      Flag.withDefault("write")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ account, json, name, scope }) {
    const { id } = yield* Operator.findAccount(account)
    yield* printNew(json, yield* (yield* ApiKeys).create(id, name, { scope }))
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Create another key for an account; print it, only this once"))

const list = Command.make(
  "list",
  { account, json: Output.json },
  Effect.fnUntraced(function*({ account, json }) {
    const { id } = yield* Operator.findAccount(account)
    const found = yield* (yield* ApiKeys).list(id)
    const rows = found.map((
      key
    ) => [key.id, key.name, key.scope, Output.time(key.createdAt), Output.time(key.expiresAt)])
    yield* Output.list(json, found.map(valueOf), {
      heads: ["ID", "NAME", "SCOPE", "CREATED", "EXPIRES"],
      rows,
      none: `There is no live key of ${account}. Make one with: headwater key create ${account}`
    })
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("List the live keys of an account, the oldest first"), Command.withAlias("ls"))

const overlap = Flag.String("overlap").pipe(
  Flag.withMetavar("duration"),
  Flag.withDescription(
    "How long the old key stays valid, such as 90m or 7d; 0s to 30d. Default: 24h"
  ),
  Flag.filterMap(
    (text) => Option.filter(TimeFlag.secondsOf(text), (seconds) => seconds >= 0 && seconds <= maxOverlapSeconds),
    () => "a duration from 0s to 30d, such as 24h"
  )
)

const rotate = Command.make(
  "rotate",
  { id: keyId, overlapSeconds: Flag.withDefault(overlap, 24 * 60 * 60), json: Output.json },
  Effect.fnUntraced(function*({ id, json, overlapSeconds }) {
    const { accountId } = yield* findKey(id)
    const made = yield* (yield* ApiKeys).rotate(accountId, id, overlapSeconds)
    yield* printNew(json, yield* Effect.mapError(Effect.fromOption(made), () => unknownKey(id)))
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Replace a key with a new one; the old one expires after an overlap (24 hours)"))

const revoke = Command.make(
  "revoke",
  { id: keyId, json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { accountId } = yield* findKey(id)
    if (!(yield* (yield* ApiKeys).revoke(accountId, id))) return yield* unknownKey(id)
    yield* Output.print(json, { id, revoked: true }, `Revoked ${id}. Running servers refuse it within a second.`)
  }, Effect.provide(Operator.layer))
).pipe(Command.withDescription("Revoke a key"))

/** The commands for an operator's work with keys. */
export const keyCommand = Command.make("key").pipe(
  Command.withDescription("Create, list, rotate and revoke API keys"),
  Command.withSubcommands([create, list, rotate, revoke])
)
