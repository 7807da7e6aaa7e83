import { hrefOf } from "../api/Address.ts"

/** The pages of things, by the prefixes of their ids. A list has them in the parameter `open`. */
const places: Readonly<Record<string, readonly [path: string, isInList?: boolean]>> = {
  apn: ["accounts"],
  ba: ["bulk-actions"],
  cns: ["consumers"],
  dc: ["sources"],
  dlv: ["deliveries"],
  ds: ["data-stores"],
  key: ["keys", true],
  p: ["workflows"],
  sub: ["subscriptions", true],
  wh: ["webhooks"]
}

/** An id, and no glob over ids. */
const isId = /^[a-z]+_[0-9A-Za-z]+$/

/** The page about a thing with this id; undefined if there is none. */
export const pageOf = (id: string): string | undefined => {
  if (!isId.test(id)) return undefined
  const prefix = id.split("_", 1)[0]!
  if (prefix === "u") return hrefOf(["account"])
  if (prefix === "proj") return hrefOf(["variables"], { of: id })
  if (!Object.hasOwn(places, prefix)) return undefined
  const [path, isInList] = places[prefix]!
  return isInList === true ? hrefOf([path], { open: id }) : hrefOf([path, id])
}
