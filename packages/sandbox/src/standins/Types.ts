/** The stand-in for `@pipedream/types` (`components.md`): each function answers what it is given. */

export const defineSource = <A>(source: A): A => source

export const defineAction = <A>(action: A): A => action

export const defineApp = <A>(app: A): A => app

export const defineComponent = <A>(component: A): A => component

export default { defineSource, defineAction, defineApp, defineComponent }
