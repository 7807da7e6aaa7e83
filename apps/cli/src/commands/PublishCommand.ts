import { keyPrefix } from "@headwater/components/FirstParty"
import * as Id from "@headwater/domain/Id"
import { Components } from "@headwater/log/resources/Components"
import * as OperatorDatabase from "@headwater/server/OperatorDatabase"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandRefused } from "../CommandRefused.ts"
import * as Output from "../text/Output.ts"

const registry = Components.layer.pipe(Layer.provideMerge(OperatorDatabase.layer))

const refuse = (message: string) => Effect.fail(new CommandRefused({ message }))

const refuseReserved = (key: string) =>
  key.startsWith(keyPrefix)
    ? refuse(
      `The key ${JSON.stringify(key)} begins with ${keyPrefix}, which is reserved for the server's own components`
    )
    : Effect.void

/** Copies a component that an account has saved into the registry. */
export const publishCommand = Command.make(
  "publish",
  {
    id: Argument.String("component").pipe(Argument.withDescription("Its id, which begins with sc_; of any account")),
    json: Output.json
  },
  Effect.fnUntraced(function*({ id, json }) {
    const components = yield* Components
    const found = Schema.is(Id.ComponentId)(id) ? yield* components.getById(id) : Option.none()
    if (Option.isNone(found)) return yield* refuse(`There is no component ${JSON.stringify(id)}`)
    const { key } = found.value
    if (key === null) {
      return yield* refuse(`${id} has no key in its code, and the registry finds components by their keys`)
    }
    yield* refuseReserved(key)
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const { component, isNew } = yield* components.publish({
      ...found.value,
      id: Id.ComponentId.make(yield* Id.make("component")),
      accountId: null,
      key,
      url: null,
      createdAt: now,
      updatedAt: now
    })
    yield* Output.print(
      json,
      { id: component.id, key, version: component.version, code_hash: component.codeHash, new: isNew },
      isNew
        ? `Published ${key} ${component.version} as ${component.id}.`
        : `The newest version of ${key} has the same code already: ${component.id}.`
    )
  }, Effect.provide(registry))
).pipe(Command.withDescription("Add a component that an account has saved to the registry, for all accounts"))

/** Takes a key out of the registry. */
export const unpublishCommand = Command.make(
  "unpublish",
  { key: Argument.String("key").pipe(Argument.withDescription("The component's key")), json: Output.json },
  Effect.fnUntraced(function*({ json, key }) {
    yield* refuseReserved(key)
    const versions = yield* (yield* Components).withdraw(key)
    if (versions === 0) return yield* refuse(`There is no component ${JSON.stringify(key)} in the registry`)
    yield* Output.print(
      json,
      { key, versions },
      `Removed ${key} from the registry (versions: ${versions}). Sources that use it keep it.`
    )
  }, Effect.provide(registry))
).pipe(Command.withDescription("Remove every version of a component from the registry; sources that use one keep it"))
