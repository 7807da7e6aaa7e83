import type { Findings } from "./Findings.ts"

interface Sent {
  readonly sourceId: string
  acknowledged: boolean
  logged: boolean
}

/** What was sent to sources, what of it was acknowledged, and whether it is in the log, once and in its sender's order. */
export interface Requests {
  /** Notes that a request is about to be sent; its key is its sender and the sender's count. */
  readonly sent: (sourceId: string, sender: string, count: number) => void
  readonly acknowledged: (key: string) => void
  /** It is in the source's log. */
  readonly logged: (sourceId: string, key: string) => void
  /** A source is being removed: what it acknowledged may go with it. */
  readonly forget: (sourceId: string) => void
  /** Everything was read: what was acknowledged and is not there is lost. */
  readonly settle: () => void
  readonly acknowledgements: () => number
}

export const keyOf = (sender: string, count: number): string => `${sender}.${count}`

export const make = (findings: Findings): Requests => {
  const open = new Map<string, Sent>()
  const leaving = new Set<string>()
  /** The last of each sender in each source's log. */
  const last = new Map<string, number>()
  let acknowledgements = 0

  return {
    sent: (sourceId, sender, count) => {
      open.set(keyOf(sender, count), { sourceId, acknowledged: false, logged: false })
    },
    acknowledged: (key) => {
      acknowledgements += 1
      const request = open.get(key)
      if (request !== undefined) request.acknowledged = true
    },
    logged: (sourceId, key) => {
      const request = open.get(key)
      if (request === undefined || request.sourceId !== sourceId || request.logged) {
        return findings.note("torn", "a request is in a log that was never sent to it, or is in it twice", {
          source: sourceId,
          key
        })
      }
      request.logged = true
      const dot = key.lastIndexOf(".")
      const count = Number(key.slice(dot + 1))
      const lane = `${sourceId} ${key.slice(0, dot)}`
      if (count <= (last.get(lane) ?? 0)) {
        findings.note("reordered", "a sender's requests are in the log in another order than they were sent in", {
          source: sourceId,
          key,
          after: last.get(lane)
        })
      }
      last.set(lane, count)
    },
    forget: (sourceId) => {
      leaving.add(sourceId)
    },
    settle: () => {
      for (const [key, { acknowledged, logged, sourceId }] of open) {
        if (acknowledged && !logged && !leaving.has(sourceId)) {
          findings.note("lost", "a request was acknowledged and is not in the log", { source: sourceId, key })
        }
      }
      open.clear()
    },
    acknowledgements: () => acknowledgements
  }
}
