import type { Given, Thing } from "./ApiGroup.ts"
import type { Group } from "./FieldFlag.ts"
import type { Kind } from "./Kind.ts"
import type { NamesById } from "./Naming.ts"

export interface Column {
  readonly head: string
  readonly of: (thing: Thing, names: NamesById) => string
}

/** The request by which the API is told which thing is meant. */
export interface Address {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Given
  readonly payload?: Given
}

/** The facts that commands about things of a kind need: all else is in the API's contract. */
export interface Resource {
  readonly kind: Kind
  /** The kind's group in the API. */
  readonly api: Group
  readonly columns: ReadonlyArray<Column>
  /** The fields of a thing whose ids people know by names. */
  readonly namedFields?: ReadonlyArray<string>
  /** The command that makes the first. */
  readonly first: string
  /** So many are listed if nothing else is said. Default: all. */
  readonly listed?: number
  /** The kind of what they belong to, which is named before them. */
  readonly within?: Kind
  /** Fields of requests that other commands give. */
  readonly leftOut?: ReadonlyArray<string>
  /** Fields of a new thing that are no flags, in their order. */
  readonly creation?: ReadonlyArray<string>
  /** The next thing to do with one that is new. */
  readonly next?: (thing: Thing) => string
  /** The things that go with one that is deleted. */
  readonly deletion?: string
  /** The address of a thing, where it is not its id. */
  readonly addressOf?: (thing: Thing) => Address
}
