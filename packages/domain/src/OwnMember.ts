/**
 * Members of objects that are named by users. A plain look finds what every object inherits, such as `constructor`, and
 * an assignment to `__proto__` sets no member.
 */

const { defineProperty, hasOwn } = Object

/** The object's own member of this name. */
export const get = <A>(object: Readonly<Record<string, A>>, name: string): A | undefined =>
  hasOwn(object, name) ? object[name] : undefined

export const set = <A>(object: Record<string, A>, name: string, value: A): void => {
  if (name !== "__proto__") object[name] = value
  else defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true })
}
