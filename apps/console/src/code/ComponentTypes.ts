/** A member of a type, as a reader of code sees it. */
export interface Member {
  readonly label: string
  /** Its type, or its parameters. */
  readonly detail: string
  /** Its description; empty if it has none. */
  readonly info: string
  readonly type: Type
}

/** The parts of a type: names of other types, such as `Trigger.context`, and members. */
export type Type = ReadonlyArray<string | ReadonlyArray<Member>>

/** Types by their names. */
export type Types = Readonly<Record<string, Type>>
