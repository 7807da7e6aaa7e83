import { Client } from "pg"
import * as ExactJson from "./ExactJson.mjs"
import { maxOutputBytes, Output } from "./NewItems.mjs"

/** So many rows are asked for at a time. */
const batch = 200

/** So many of the last rows are looked at again while transactions may add to them. */
const maxUnsettled = 1_000

/** What a row's place may take, so that those remembered fit into `$.service.db`. */
const maxPlaceBytes = 600

const quoted = (name) => `"${name.replaceAll("\"", "\"\"")}"`

/** What the client connects with. Only text of ours goes into errors: the URL holds a password. */
const connectionOf = (connectionString) => {
  if (!/^postgres(ql)?:\/\//.test(connectionString) || !URL.canParse(connectionString)) {
    throw new Error("The connection string has to be a URL such as postgres://user:password@host:5432/database.")
  }
  const { hostname, password, pathname, port, username } = new URL(connectionString)
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || 5432),
    database: decodeURIComponent(pathname.slice(1)) || "postgres"
  }
}

/** ISO 8601 of a time as Postgres writes it in JSON, of one without a zone as if it were UTC; else undefined. */
const timeOf = (value) => {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT[\d:.]+/.test(value)) return undefined
  return /(Z|[+-]\d\d(:\d\d)?)$/.test(value) ? value : `${value}Z`
}

export default {
  key: "headwater-postgres-rows",
  name: "Postgres rows",
  version: "1.0.0",
  type: "source",
  description: "Checks a Postgres table regularly, and emits an event for each new or changed row.",
  dedupe: "unique",
  props: {
    timer: {
      type: "$.interface.timer",
      label: "Schedule",
      description: "How often to check the table.",
      default: { intervalSeconds: 60 }
    },
    db: "$.service.db",
    connectionString: {
      type: "string",
      label: "Connection string",
      description:
        "A URL such as postgres://user:password@host:5432/database. What follows a ? in it is not looked at.",
      secret: true
    },
    tls: {
      type: "string",
      label: "TLS",
      description: "How the connection is encrypted.",
      options: [
        { label: "Encrypted, with a valid certificate", value: "verify" },
        { label: "Encrypted, with any certificate", value: "no-verify" },
        { label: "Not encrypted", value: "off" }
      ],
      default: "verify"
    },
    ca: {
      type: "string",
      label: "Authority",
      description: "The certificate of the database's own authority, in PEM.",
      optional: true
    },
    schema: {
      type: "string",
      label: "Schema",
      description: "The table's schema.",
      default: "public"
    },
    table: {
      type: "string",
      label: "Table",
      description: "Name of the table or view."
    },
    orderColumn: {
      type: "string",
      label: "Order column",
      description:
        "A column that only grows: an id or time of creation for new rows, the time of the last change for " +
        "changed ones. It should have an index, with the key column."
    },
    keyColumn: {
      type: "string",
      label: "Key column",
      description: "The column that identifies a row.",
      default: "id"
    },
    rows: {
      type: "string",
      label: "Rows",
      description: "Whether to emit a row once, or each time its order column grows.",
      options: [
        { label: "New rows", value: "new" },
        { label: "New and changed rows", value: "changed" }
      ],
      default: "new"
    },
    condition: {
      type: "string",
      label: "Condition",
      description: "The condition that rows must meet, in SQL, such as status = 'paid'.",
      optional: true
    },
    startAt: {
      type: "string",
      label: "Start",
      description: "Whether to emit the rows that exist at first.",
      options: [
        { label: "After the rows that are there", value: "now" },
        { label: "With the first row", value: "beginning" }
      ],
      default: "now"
    },
    settleSeconds: {
      type: "integer",
      label: "Settling time",
      description:
        "How many seconds a transaction may take after it has drawn an id or a time: for so long after rows " +
        "were found, it is looked whether others have come to stand before them.",
      default: 60,
      min: 0,
      max: 86_400
    }
  },
  methods: {
    async connect() {
      const ssl = this.tls === "off" ? false : { rejectUnauthorized: this.tls === "verify", ca: this.ca || undefined }
      const client = new Client({
        ...connectionOf(this.connectionString),
        ssl,
        application_name: "headwater",
        connectionTimeoutMillis: 20_000,
        query_timeout: 60_000
      })
      // Whatever ends the connection fails the query under way, too.
      client.on("error", () => {})
      await client.connect()
      return client
    },
    /** The parts of queries on the table; a row's place is JSON of the two columns that it is ordered by. */
    terms() {
      const order = [...new Set([this.orderColumn, this.keyColumn])].map((name) => `headwater_row.${quoted(name)}`)
      return {
        from: `${quoted(this.schema)}.${quoted(this.table)} AS headwater_row`,
        order,
        place: `jsonb_build_array(${order.join(", ")})::text`,
        where: [`${order[0]} IS NOT NULL`, ...(this.condition ? [`(${this.condition})`] : [])]
      }
    },
    /** Where to begin: behind the rows that are there, the last of which count as found just now. */
    async start(client, now) {
      if (this.startAt === "beginning") return { unsettled: [] }
      const { from, order, place, where } = this.terms()
      const { rows } = await client.query(
        `SELECT ${place} AS place FROM ${from} WHERE ${where.join(" AND ")}
         ORDER BY ${order.map((column) => `${column} DESC`).join(", ")} LIMIT ${maxUnsettled + 1}`
      )
      const unsettled = rows.map((row) => [row.place, now]).toReversed()
      return unsettled.length > maxUnsettled ? { after: unsettled.shift()[0], unsettled } : { unsettled }
    },
    /** Places behind one, in order; with the row where it is not known. */
    async read(client, after, known) {
      const { from, order, place, where } = this.terms()
      const parameters = order.map((_, index) => `$${index + 2}`)
      const behind = after === undefined ? [] : [`(${order.join(", ")}) > (${parameters.join(", ")})`]
      const { rows } = await client.query(
        `SELECT ${place} AS place, CASE WHEN ${place} <> ALL ($1) THEN to_jsonb(headwater_row)::text END AS row
         FROM ${from} WHERE ${[...where, ...behind].join(" AND ")}
         ORDER BY ${order.join(", ")} LIMIT ${known.length + batch}`,
        [known, ...(after === undefined ? [] : ExactJson.parse(after).map(String))]
      )
      return { isLast: rows.length < known.length + batch, rows }
    },
    /** Emits a row, if the output has room for it. */
    emit(output, { place, row }) {
      if (Buffer.byteLength(place) > maxPlaceBytes) throw new Error(`A row's key and order are too long: ${place}`)
      if (Buffer.byteLength(row) > maxOutputBytes) {
        console.error(`The row at ${place} is too large for an event, and left out.`)
        return true
      }
      const event = ExactJson.parse(row)
      if (!output.takes(event)) return false
      const [at, key = at] = ExactJson.parse(place)
      this.$emit(event, {
        id: [this.schema, this.table, key, ...(this.rows === "changed" ? [at] : [])].join(" "),
        summary: `${this.table} ${key}`,
        ts: timeOf(at)
      })
      return true
    },
    /**
     * Emits rows behind `after` that are not among those found before. Rows that were found only just now stay
     * `unsettled`: a transaction that drew its id or time before theirs may commit later, and they are read again.
     */
    async advance(client, { after, unsettled }, now) {
      const foundAt = new Map(unsettled)
      const known = [...foundAt.keys()]
      const output = new Output()
      const read = []
      let isFull = false
      for (let isLast = false, last = after; !isLast && !isFull;) {
        const page = await this.read(client, last, known)
        for (const each of page.rows) {
          isFull = each.row !== null && !this.emit(output, each)
          if (isFull) break
          read.push([each.place, foundAt.get(each.place) ?? now])
          foundAt.delete(each.place)
          last = each.place
        }
        isLast = page.isLast
      }
      // What was not come to is still there; else it is gone.
      const rest = isFull ? [...foundAt] : []
      const isSettled = ([, at], index) =>
        now - at >= this.settleSeconds * 1000 || index < read.length + rest.length - maxUnsettled
      const firstUnsettled = read.findIndex((each, index) => !isSettled(each, index))
      const settled = firstUnsettled === -1 ? read : read.slice(0, firstUnsettled)
      return { after: settled.at(-1)?.[0] ?? after, unsettled: [...read.slice(settled.length), ...rest] }
    },
    async poll() {
      const now = Date.now()
      const of = JSON.stringify([this.schema, this.table, this.orderColumn, this.keyColumn])
      const saved = this.db.get("rows")
      const client = await this.connect()
      try {
        const state = saved?.of === of ? saved : await this.start(client, now)
        this.db.set("rows", { of, ...await this.advance(client, state, now) })
      } finally {
        await client.end()
      }
    }
  },
  hooks: {
    async deploy() {
      await this.poll()
    }
  },
  async run() {
    await this.poll()
  },
  sampleEmit: { id: 17, status: "paid", total: 1700, created_at: "2026-11-21T09:55:08.123456+00:00" }
}
