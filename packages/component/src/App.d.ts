import type { CheckedProps, PropInputs } from "./Props.d.ts"

declare const auth: unique symbol

/** An app's name that knows what its `$auth` holds: `app: "shop" as AppName<{ token: string }>`. */
export type AppName<Auth> = string & { readonly [auth]?: Auth }

type AuthOfName<Name> = Name extends { readonly [auth]?: infer Auth } ?
  unknown extends Auth ? Record<string, any> : Auth
  : Record<string, any>

/** What `$auth` of an app holds: the credentials of the app account that the source is given. */
export type AuthOf<App> = App extends { readonly app: infer Name } ? AuthOfName<Name> : Record<string, any>

/** What an app's own code sees as `this`, and a component as `this.<prop>`. */
export type AppInstance<App> =
  & (App extends { readonly methods: infer Methods } ? Methods extends object ? Methods : {} : {})
  & { readonly $auth: AuthOf<App> }

/** A third party's API, for components to call. */
export interface App<Name extends string = string, PropDefinitions = PropInputs, Methods = object> {
  readonly type: "app"
  readonly app: Name
  readonly propDefinitions: PropDefinitions
  readonly methods: Methods
}

/** What `defineApp` takes. */
export interface AppDefinition<Name extends string, PropDefinitions, Methods> {
  readonly type: "app"
  /** The name of the app, which its accounts have too. */
  readonly app: Name
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly version?: string | undefined
  readonly description?: string | undefined
  readonly optional?: boolean | undefined
  readonly label?: string | undefined
  /** Props that components can reuse. */
  readonly propDefinitions?: PropDefinitions & CheckedProps<PropDefinitions>
  /** What components call on it. */
  readonly methods?: Methods
}
