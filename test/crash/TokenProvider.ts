import { Effect, type Scope } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Dice } from "./Dice.ts"
import type { FaultTimes } from "./FaultTimes.ts"
import type { Findings } from "./Findings.ts"

/** A token that was granted to an account, the nth. */
interface Grant {
  readonly account: string
  readonly n: number
  /** When the answer that has it was given; undefined while it is under way. */
  answeredAt: number | undefined
  /** Since when it is known that the server has kept it. */
  keptAt: number | undefined
}

/**
 * A provider of OAuth 2 whose refresh tokens rotate, with an API that takes its tokens. It takes a refresh token once, and
 * once more only where the answer to it may have been lost by a fault; nothing else is its to refuse.
 */
export interface TokenProvider {
  /** The URL of the API. */
  readonly apiUrl: string
  /** The fields of an account over OAuth 2 that has the provider's first token. */
  readonly oauth: (account: string) => Readonly<Record<string, unknown>>
  readonly renewals: () => number
}

/** The life of a token that it tells, in seconds: short, so that there is a renewal under way at most faults. */
const lifeSeconds = 16

/** A token is taken until so long after it is known that there is a newer one, in milliseconds. */
const graceMs = 30_000

/** A fault so long after an answer may have kept it from being kept, in milliseconds. */
const keepingMs = 1_000

const nameOf = (kind: string, { account, n }: Pick<Grant, "account" | "n">): string => `${kind}-of-${account}-${n}`

const read = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    let text = ""
    request.on("data", (chunk: Buffer) => {
      text += String(chunk)
    })
    request.on("end", () => resolve(text))
    // Whoever asked is gone, and waits for no answer.
    request.on("error", () => resolve(text))
  })

/** @param faults all by which an answer can be lost */
export const make = (
  dice: Dice,
  findings: Findings,
  faults: FaultTimes
): Effect.Effect<TokenProvider, never, Scope.Scope> => {
  /** The grants of each account, the nth at n. */
  const grants = new Map<string, Array<Grant>>()
  const underWay = new Map<string, { readonly since: number }>()
  let renewals = 0

  const keep = (all: ReadonlyArray<Grant>, { n }: Grant): void => {
    const now = Date.now()
    for (const grant of all.slice(0, n + 1)) grant.keptAt ??= now
  }

  const granted = (kind: string, token: string) => {
    const [, account = "", n = ""] = new RegExp(`^${kind}-of-(\\w+)-(\\d+)$`).exec(token) ?? []
    const all = grants.get(account) ?? []
    return { account, all, grant: all[Number(n)] }
  }

  const answer = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  }

  const grantOf = (grant: Grant) => ({
    access_token: nameOf("access", grant),
    refresh_token: nameOf("refresh", grant),
    expires_in: lifeSeconds
  })

  /** That a refresh token may be used now. */
  const judge = (all: ReadonlyArray<Grant>, grant: Grant, askedAt: number): boolean => {
    const { account, n } = grant
    const other = underWay.get(account)
    if (other !== undefined && !faults.between(other.since, askedAt)) {
      findings.note("unjustified", "a refresh token is used twice at the same time", { account, n, other, askedAt })
    }
    const next = all[n + 1]
    if (next === undefined) return true
    if (all.slice(n + 1).some(({ keptAt }) => keptAt !== undefined)) {
      findings.note("unjustified", "a refresh token is used whose successor was kept", { account, n, next, askedAt })
      return false
    }
    const { answeredAt } = next
    if (answeredAt !== undefined && !faults.between(answeredAt - keepingMs, answeredAt + keepingMs)) {
      findings.note("unjustified", "a refresh token is used again and nothing had happened", { grant, next, askedAt })
    }
    return true
  }

  const renew = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await read(request))
    const { account, all, grant } = granted("refresh", form.get("refresh_token") ?? "")
    const since = Date.now()
    if (form.get("grant_type") !== "refresh_token" || grant === undefined) {
      findings.note("torn", "a refresh token was never granted", { form: String(form) })
      return answer(response, 400, { error: "invalid_grant" })
    }
    renewals += 1
    if (!judge(all, grant, since)) return answer(response, 400, { error: "invalid_grant" })
    keep(all, grant)
    const next: Grant = { account, n: all.length, answeredAt: undefined, keptAt: undefined }
    all.push(next)
    underWay.set(account, { since })
    await new Promise((resolve) =>
      setTimeout(resolve, dice.chance(0.2) ? dice.between(300, 1_500) : dice.between(0, 100))
    )
    if (underWay.get(account)?.since === since) underWay.delete(account)
    next.answeredAt = Date.now()
    answer(response, 200, grantOf(next))
  }

  const call = (request: IncomingMessage, response: ServerResponse) => {
    const token = request.headers.authorization?.replace("Bearer ", "") ?? ""
    const { all, grant } = granted("access", token)
    if (grant === undefined) {
      findings.note("torn", "code has a token that was never granted", { token })
      return answer(response, 401, {})
    }
    keep(all, grant)
    const newer = all.find(({ keptAt, n }) => n > grant.n && keptAt !== undefined && keptAt < Date.now() - graceMs)
    if (newer !== undefined) {
      findings.note("lost", "code has a token that has ended, and not the newer one", { grant, newer })
    }
    answer(response, newer === undefined ? 200 : 401, { n: grant.n })
  }

  return Effect.acquireRelease(
    Effect.callback<TokenProvider & { readonly close: Effect.Effect<void> }>((resume) => {
      const server = createServer((request, response) => {
        if (request.url === "/token") return void renew(request, response)
        call(request, response)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        resume(Effect.succeed({
          apiUrl: `${url}/me`,
          oauth: (account) => {
            const now = Date.now()
            const grant: Grant = { account, n: 0, answeredAt: now, keptAt: now }
            grants.set(account, [grant])
            const { access_token, refresh_token } = grantOf(grant)
            return {
              client_id: "crash",
              client_secret: "secret-of-crash",
              token_url: `${url}/token`,
              access_token,
              refresh_token,
              expires_at: Math.floor(now / 1_000) + lifeSeconds
            }
          },
          renewals: () => renewals,
          close: Effect.callback<void>((closed) => {
            server.closeAllConnections()
            server.close(() => closed(Effect.void))
          })
        }))
      })
    }),
    ({ close }) => close
  )
}
