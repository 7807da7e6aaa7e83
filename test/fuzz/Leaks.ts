import * as Placeholder from "./Placeholder.ts"

/** What names something of one account: ids, keys, secrets, and endpoints. */
const token =
  /\b(?:as|d|dc|dlv|key|p|sc|sub|u|wh)_[0-9A-Za-z]{20}(?![0-9A-Za-z])|\bhw_[\w-]{16,}|\bwhsec_[0-9A-Za-z+/]{20,}=*|\/http\/[0-9A-Za-z]{24}(?![0-9A-Za-z])/g

/** Whose is whose, and whether an account sees what is another's. */
export interface Leaks {
  /**
   * What of other accounts there is in something that an account has received, other than what it said itself.
   *
   * @param said the request that was answered
   */
  readonly find: (account: string, received: string, said: string) => ReadonlyArray<string>
  /** That something may be seen by every account. */
  readonly share: (text: string) => void
}

/** @param markers by account: text that is in what it stores, and in nothing of another's */
export const make = (markers: ReadonlyMap<string, string>): Leaks => {
  const owners = new Map<string, string>()
  const shared = new Set<string>()
  const tokensOf = (text: string): ReadonlyArray<string> => [...new Set(text.match(token) ?? [])]
  return {
    share: (text) => {
      for (const found of tokensOf(text)) shared.add(found)
    },
    find: (account, received, said) => {
      const folded = received.toLowerCase()
      const saidFolded = said.toLowerCase()
      const foreignMarkers = [...markers]
        .filter(([name, marker]) => name !== account && folded.includes(marker) && !saidFolded.includes(marker))
        .map(([name, marker]) => `the marker of ${name} (${marker})`)
      const foreignTokens = tokensOf(received)
        .filter((found) => !said.includes(found) && !shared.has(found))
        .flatMap((found) => {
          const owner = owners.get(found)
          if (owner === undefined) owners.set(found, account)
          return owner === undefined || owner === account ? [] : [`${found}, which is of ${owner}`]
        })
      const own = markers.get(account)
      const secret = own === undefined ? "" : Placeholder.secret.replace(Placeholder.marker, own)
      const secrets = secret !== "" && received.includes(secret) && !said.includes(secret)
        ? ["the value of a secret prop"]
        : []
      return [...foreignMarkers, ...foreignTokens, ...secrets]
    }
  }
}
