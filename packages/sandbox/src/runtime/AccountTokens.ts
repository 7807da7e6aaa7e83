/** The tokens of accounts with apps that the process knows: of the accounts of the runs in it, the newest that there were. */

export interface LiveToken {
  readonly account: string
  readonly generation: number
  readonly token: string
}

const { defineProperty, values } = Object

/** A request may carry the token that was renewed while it was under way. */
const known = { __proto__: null } as unknown as Record<
  string,
  { readonly now: LiveToken; readonly before: LiveToken | undefined }
>

type OnRenewed = (before: LiveToken, now: LiveToken) => void

let onRenewed: OnRenewed = () => {}

/** Has whoever keeps copies of tokens hear of each that comes in the place of another. */
export const onToken = (heard: OnRenewed): void => {
  onRenewed = heard
}

export const learnToken = (token: LiveToken): void => {
  const { account, generation } = token
  const before = known[account]?.now
  if (before !== undefined && before.generation >= generation) return
  known[account] = { now: token, before }
  if (before !== undefined) onRenewed(before, token)
}

/** The accounts of tokens by prop, each once. */
export const accountsOf = (
  tokens: Readonly<Record<string, LiveToken>>
): ReadonlyArray<string> => [...new Set(values(tokens).map(({ account }) => account))]

/** Credentials whose access token is, whenever it is read, the newest one. */
export const withToken = (credentials: object, token: LiveToken | undefined): object => {
  if (token === undefined) return credentials
  let own: unknown
  return defineProperty(credentials, "oauth_access_token", {
    get: () => own ?? known[token.account]?.now.token,
    set: (value: unknown) => {
      own = value
    },
    enumerable: true,
    configurable: true
  })
}

/** The token of one of these accounts that a text holds. */
export const tokenIn = (accounts: ReadonlyArray<string>, text: string): LiveToken | undefined => {
  for (const account of accounts) {
    const both = known[account]
    if (both === undefined) continue
    if (text.includes(both.now.token)) return both.now
    if (both.before !== undefined && text.includes(both.before.token)) return both.before
  }
  return undefined
}
