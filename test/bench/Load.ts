/** The load: posts numbered events and notes when each was sent and acknowledged. */
import { load, type Loaded, type Plan } from "./LoadCall.ts"
import { LoadConnection } from "./LoadConnection.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import * as Program from "./Program.ts"

/** How long a connection rests after a refusal, in milliseconds. */
const restMs = 10

/** How long answers are waited for after the last event was sent, in milliseconds. */
const patienceMs = 30_000

/** The request text of each event. */
const requests = ({ bytes, urls }: Plan) => {
  const heads = urls.map((text) => {
    const url = new URL(text)
    return `POST ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\n` +
      `content-length: ${bytes}\r\n\r\n`
  })
  const padding = "x".repeat(bytes)
  return (number: number) => {
    const start = `{"seq":${number},"pad":"`
    return `${heads[number % heads.length]}${start}${padding.slice(0, bytes - start.length - 2)}"}`
  }
}

interface Lane {
  readonly connection: LoadConnection
  /** The event it waits for the answer of; none while it is free. */
  current: number | undefined
}

const run = (plan: Plan): Promise<Loaded> =>
  new Promise((resolve) => {
    const { connections, events = Infinity, from, rate, seconds } = plan
    /** Servers, to each of which as many connections are opened, whichever server an event names. */
    const targets = [...new Map(plan.urls.map((text) => [new URL(text).host, new URL(text)])).values()]
    let opened = 0
    const requestOf = requests(plan)
    const sentAt: Array<number> = []
    const ackedAt: Array<number> = []
    const refused: Record<string, number> = {}
    const startedAt = MonotonicClock.now()
    const end = startedAt + seconds * 1000
    let acked = 0
    let underWay = 0
    let lastAckAt = end
    let finished = false
    let pacer: NodeJS.Timeout | undefined
    const lanes = new Set<Lane>()
    const free: Array<Lane> = []
    /** Events whose time had come when no connection was free. */
    const late: Array<number> = []

    const finish = () => {
      if (finished) return
      finished = true
      clearTimeout(pacer)
      clearTimeout(patience)
      for (const { connection } of lanes) connection.close()
      resolve({
        sentAt: Float64Array.from(sentAt),
        ackedAt: Float64Array.from(sentAt, (_, index) => ackedAt[index] ?? 0),
        startedAt,
        endedAt: lastAckAt,
        acked,
        refused
      })
    }
    const patience = setTimeout(finish, seconds * 1000 + patienceMs)

    /** What is under way will most likely be acknowledged. */
    const areEnough = () => acked + underWay >= events

    const isOver = () => (MonotonicClock.now() >= end || areEnough()) && late.length === 0

    const send = (lane: Lane, event: number) => {
      lane.current = event
      underWay += 1
      lane.connection.send(requestOf(from + event))
    }

    /** What a connection that has nothing to do sends next. */
    const proceed = (lane: Lane) => {
      if (finished) return
      const waiting = late.shift()
      if (waiting !== undefined) return send(lane, waiting)
      if (rate === undefined && !isOver()) return send(lane, sentAt.push(MonotonicClock.now()) - 1)
      free.push(lane)
      if (isOver() && free.length === lanes.size) finish()
    }

    const hear = (lane: Lane, status: number) => {
      const { current } = lane
      lane.current = undefined
      if (current !== undefined) underWay -= 1
      if (status >= 200 && status < 300 && current !== undefined) {
        ackedAt[current] = lastAckAt = MonotonicClock.now()
        acked += 1
        return proceed(lane)
      }
      // A connection that was closed while it was free has refused nothing.
      if (current !== undefined) refused[status] = (refused[status] ?? 0) + 1
      if (status !== 0) return setTimeout(proceed, restMs, lane)
      lanes.delete(lane)
      if (free.includes(lane)) free.splice(free.indexOf(lane), 1)
      if (rate === undefined || current !== undefined) setTimeout(open, restMs)
    }

    const open = () => {
      if (finished) return
      const target = targets[opened++ % targets.length]!
      const lane: Lane = {
        connection: new LoadConnection({ host: target.hostname, port: Number(target.port) }, {
          answered: (status) => hear(lane, status)
        }),
        current: undefined
      }
      lanes.add(lane)
      proceed(lane)
    }

    /** An event counts from when its time had come, not from when a connection was free for it. */
    const pace = (rate: number) => {
      const due = Math.floor((Math.min(MonotonicClock.now(), end) - startedAt) * rate / 1000)
      while (sentAt.length < due) {
        late.push(sentAt.push(startedAt + (sentAt.length + 1) * 1000 / rate) - 1)
        const lane = free.pop()
        if (lane !== undefined) proceed(lane)
        else if (lanes.size < connections) open()
      }
      if (isOver() && free.length === lanes.size) return finish()
      const nextAt = startedAt + (sentAt.length + 1) * 1000 / rate
      pacer = setTimeout(pace, Math.max(0, Math.min(nextAt, end) - MonotonicClock.now()), rate)
    }

    if (rate !== undefined) pace(rate)
    else while (lanes.size < connections) open()
  })

Program.serve(load, run)
