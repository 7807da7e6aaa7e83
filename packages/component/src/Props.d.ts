import type { AppInstance } from "./App.d.ts"
import type {
  Apphook,
  DataStore,
  FileStore,
  HttpInterface,
  HttpRequest,
  HttpSettings,
  MailInterface,
  Store,
  Timer
} from "./Interfaces.d.ts"

declare const shape: unique symbol

/** The type of a store that knows its values by key: `db: "$.service.db" as Db<{ count: number }>`. */
export type Db<Shape> = "$.service.db" & { readonly [shape]?: Shape }

type ShapeOf<Type> = Type extends { readonly [shape]?: infer Shape }
  ? unknown extends Shape ? Record<string, any> : Exclude<Shape, undefined>
  : Record<string, any>

/** What `this` has of a prop, by the prop's type. */
interface ValueOfType {
  readonly "string": string
  readonly "integer": number
  readonly "boolean": boolean
  readonly "string[]": ReadonlyArray<string>
  readonly "integer[]": ReadonlyArray<number>
  readonly "boolean[]": ReadonlyArray<boolean>
  readonly "object": Record<string, any>
  readonly "any": any
  readonly "sql": any
  readonly "data_store": DataStore
  readonly "dir": FileStore
  readonly "alert": undefined
  readonly "http_request": HttpRequest
  readonly "$.interface.http": HttpInterface
  readonly "$.interface.email": MailInterface
  readonly "$.interface.timer": Timer
  readonly "$.interface.apphook": Apphook
}

export type PropType = keyof ValueOfType | "app" | "$.service.db"

/** What `options` is asked for, with the members of what a `propDefinition` passes on. */
export interface OptionsRequest {
  /** From 0. */
  readonly page: number
  /** The `context` of the page before; `{}` for the first one. */
  readonly prevContext: any
  /** What the user has typed. */
  readonly query?: string
  readonly [argument: string]: any
}

/** Its `this`, the app or the component, is not typed: it may come before the methods that it calls. */
type OptionsFunction = (this: any, request: OptionsRequest) => any

type Choice<Value> = Value | { readonly label?: string | undefined; readonly value: Value }

/** An app, the name of one of its `propDefinitions`, and what its `options` get beside what they are asked for. */
type OfApp = readonly [app: object, name: string, argument?: object | ((values: any) => any)]

interface Told {
  /** Whose other keys it has, unless it has them itself. */
  readonly propDefinition?: OfApp | undefined
  readonly label?: string | undefined
  readonly description?: string | undefined
  readonly optional?: boolean | undefined
  readonly secret?: boolean | undefined
  readonly reloadProps?: boolean | undefined
  readonly useQuery?: boolean | undefined
  readonly withLabel?: boolean | undefined
  readonly hidden?: boolean | undefined
  readonly disabled?: boolean | undefined
  readonly readOnly?: boolean | undefined
}

interface Valued<Type, Value, Each> extends Told {
  readonly type: Type
  /** The value if none is given. */
  readonly default?: Value | undefined
  /** The only value. */
  readonly static?: Value | undefined
  /** Values to choose from, or a function that returns them: a list, or `{options, context}`. */
  readonly options?: ReadonlyArray<Choice<Each>> | OptionsFunction | undefined
}

interface Bounded {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

interface Other<Type> extends Told {
  readonly type: Type
}

interface OfAnyValue<Type> extends Other<Type> {
  readonly default?: unknown
  readonly static?: unknown
  readonly options?: ReadonlyArray<unknown> | OptionsFunction | undefined
}

/** A query: with `usePreparedStatements` a step gets `{query, params}`. */
interface SqlProp extends OfAnyValue<"sql"> {
  /** The app of the database, by which parameters are written as `$1` or `?`. */
  readonly auth?: { readonly app: string } | undefined
}

interface AppProp extends Other<"app"> {
  readonly app?: string | undefined
  readonly methods?: object | undefined
  readonly propDefinitions?: PropInputs | undefined
}

interface AlertProp extends Other<"alert"> {
  readonly alertType?: string | undefined
  readonly content?: string | undefined
}

interface HttpProp extends Other<"$.interface.http"> {
  /** `run` answers each request, with `this.<prop>.respond`. */
  readonly customResponse?: boolean | undefined
  readonly default?: HttpSettings | undefined
  readonly static?: HttpSettings | undefined
}

interface TimerProp extends Other<"$.interface.timer"> {
  readonly default?: Timer | undefined
  readonly static?: Timer | undefined
}

interface ApphookProp extends Other<"$.interface.apphook"> {
  readonly appProp?: string | undefined
  readonly eventNames?: ReadonlyArray<string> | ((this: any) => any) | undefined
}

/** A prop taken from an app, with its type. */
interface FromApp extends Told {
  readonly type?: undefined
  readonly propDefinition: OfApp
  readonly default?: unknown
  readonly static?: unknown
  readonly options?: ReadonlyArray<unknown> | OptionsFunction | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** How a component declares a prop. */
export type PropInput =
  | PropType
  | Valued<"string", string, string>
  | Valued<"string[]", ReadonlyArray<string>, string>
  | (Valued<"integer", number, number> & Bounded)
  | (Valued<"integer[]", ReadonlyArray<number>, number> & Bounded)
  | Valued<"boolean", boolean, boolean>
  | Valued<"boolean[]", ReadonlyArray<boolean>, boolean>
  | Valued<"object", Readonly<Record<string, any>>, unknown>
  | OfAnyValue<"any" | "data_store" | "dir" | "http_request">
  | SqlProp
  | Other<"$.service.db">
  | AppProp
  | AlertProp
  | HttpProp
  | TimerProp
  | ApphookProp
  | FromApp

export interface PropInputs {
  readonly [name: string]: PropInput
}

/** The values of a list of choices. */
type ChosenOf<Options> = Options extends ReadonlyArray<infer Option> ?
  Option extends { readonly value: infer Value } ? Value : Option
  : unknown

/** One of the choices if the definition lists any, else any value of the type. */
type OneOf<Definition, Value> = Definition extends { readonly options: ReadonlyArray<any> }
  ? [ChosenOf<Definition["options"]>] extends [never] ? Value : ChosenOf<Definition["options"]> & Value
  : Value

type ValueOf<Definition, Type> = Type extends "$.service.db" ? Store<ShapeOf<Type>>
  : Type extends "app" ? AppInstance<Definition>
  : Type extends "string" | "integer" | "boolean" ? OneOf<Definition, ValueOfType[Type]>
  : Type extends "string[]" | "integer[]" | "boolean[]" ? ReadonlyArray<OneOf<Definition, ValueOfType[Type][number]>>
  : Type extends keyof ValueOfType ? ValueOfType[Type]
  : any

type Labelled<Definition, Value> = Definition extends { readonly withLabel: true }
  ? Value extends ReadonlyArray<infer Each> ? ReadonlyArray<{ readonly label: string; readonly value: Each }>
  : { readonly label: string; readonly value: Value }
  : Value

type HasValue<Definition> = Definition extends { readonly default: {} } | { readonly static: {} } ? true : false

/** Engine's own props are there whatever the definition says. */
type IsOptional<Definition> = Definition extends { readonly type: "app" | `$.${string}` } ? false
  : Definition extends { readonly optional: infer Optional } ? true extends Optional ? true : false
  : false

type Present<Definition, Value> = IsOptional<Definition> extends true
  ? HasValue<Definition> extends true ? Value : Value | undefined
  : Value

type PropDefinitionsOf<App> = App extends { readonly propDefinitions: infer Definitions } ? Definitions : {}

type Over<Base, Own> = Base extends string ? { readonly type: Base } & Own : Omit<Base, keyof Own> & Own

/** A definition with what it takes from an app. */
type Resolved<Definition> = Definition extends
  { readonly propDefinition: readonly [infer App, infer Name, ...ReadonlyArray<any>] }
  ? Name extends keyof PropDefinitionsOf<App>
    ? Over<Resolved<PropDefinitionsOf<App>[Name]>, Omit<Definition, "propDefinition">>
  : { readonly type: "any" }
  : Definition

type OfResolved<Definition> = Definition extends string ? ValueOf<{}, Definition>
  : Definition extends { readonly type: infer Type } ?
    Present<Definition, Labelled<Definition, ValueOf<Definition, Type>>>
  : any

/** What `this` has of a prop. */
export type PropValue<Definition> = 0 extends 1 & Definition ? any : OfResolved<Resolved<Definition>>

/** What `this` has of props. */
export type PropValues<Definitions> = { readonly [Name in keyof Definitions]: PropValue<Definitions[Name]> }

/** In place of a value that another part of the definition rules out. */
interface Expected<Values> {
  readonly expected: Values
}

type CheckedDefault<Definition, Key extends string> = Definition extends
  { readonly [K in Key]: infer Value } & { readonly type: infer Type; readonly options: ReadonlyArray<any> }
  ? Type extends "string" | "integer" | "boolean" ? Value extends ChosenOf<Definition["options"]> | undefined ? unknown
    : { readonly [K in Key]: Expected<ChosenOf<Definition["options"]>> }
  : Type extends "string[]" | "integer[]" | "boolean[]"
    ? Value extends ReadonlyArray<ChosenOf<Definition["options"]>> | undefined ? unknown
    : { readonly [K in Key]: ReadonlyArray<Expected<ChosenOf<Definition["options"]>>> }
  : unknown
  : unknown

type CheckedName<Definition> = Definition extends
  { readonly propDefinition: readonly [infer App, infer Name, ...ReadonlyArray<any>] } ? 0 extends 1 & App ? unknown
  : Name extends keyof PropDefinitionsOf<App> ? unknown
  : { readonly propDefinition: readonly [unknown, Expected<keyof PropDefinitionsOf<App>>, unknown?] }
  : unknown

/** What of a definition only its other parts tell. */
type Checked<Definition> = 0 extends 1 & Definition ? unknown
  : CheckedName<Definition> & CheckedDefault<Definition, "default"> & CheckedDefault<Definition, "static">

export type CheckedProps<Definitions> = { readonly [Name in keyof Definitions]: Checked<Definitions[Name]> }

type TypeOf<Definition> = 0 extends 1 & Definition ? never
  : Definition extends string ? Definition
  : Resolved<Definition> extends { readonly type: infer Type } ? Type
  : never

/** The types of a component's props that run it. */
export type InterfacesOf<Definitions> = Extract<
  { [Name in keyof Definitions]: TypeOf<Definitions[Name]> }[keyof Definitions],
  `$.interface.${string}`
>
