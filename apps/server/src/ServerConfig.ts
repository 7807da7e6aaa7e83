import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import type { Limits } from "@headwater/engine/EngineLimits"
import type { FileBucketSettings } from "@headwater/engine/FileBucketS3"
import { defaultLimits, type SandboxLimits } from "@headwater/sandbox/SandboxLimits"
import { Config, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { Dns, IpNetwork, NetAddress } from "effect/net"
import { isIP } from "node:net"
import { availableParallelism } from "node:os"
import * as Path from "node:path"
import * as DatabaseCacheSize from "./DatabaseCacheSize.ts"

/** A variable of the environment, and what is wrong with its value. */
const Fault = Schema.Struct({ variable: Schema.String, reason: Schema.String })

/** Variables of the environment have values the server cannot work with. The message has a line for each. */
export class ServerConfigInvalid extends Schema.TaggedError<ServerConfigInvalid>()("ServerConfigInvalid", {
  faults: Schema.Array(Fault)
}) {
  override get message() {
    return this.faults.map(({ reason, variable }) => `${variable}: ${reason}`).join("\n")
  }
}

/** The operator's settings, or their defaults. The `OTEL_*` variables are read by Effect's exporters themselves. */
export interface ServerSettings {
  readonly port: number
  readonly host: string
  /** Public base URL, without a trailing slash. */
  readonly url: string
  /** `None` stands for the embedded Postgres. */
  readonly databaseUrl: Option.Option<Redacted.Redacted>
  /** Absolute path. */
  readonly dataDirectory: string
  /** The size of the embedded Postgres's own cache of its tables, in MiB. */
  readonly databaseCache: number
  /** The address at which this server answers other nodes on its database; `None` where it is the only one. */
  readonly node: Option.Option<{ readonly host: string; readonly port: number }>
  /** The number of processes that serve on this machine. */
  readonly workers: number
  /** False if the server only shows what is there. */
  readonly work: boolean
  /** True if the server is to work on a database that was moved or copied. */
  readonly takeOver: boolean
  /** True if the clock can be stopped and moved forward, on a database that was made for that. */
  readonly devClock: boolean
  /** The key the first account gets; `None` to generate one. */
  readonly apiKey: Option.Option<Redacted.Redacted>
  /** Base64 of 32 bytes; `None`, only with the embedded Postgres, to use the one in the data directory. */
  readonly secretKey: Option.Option<Redacted.Redacted>
  /** CIDRs, host names, or `loopback`. */
  readonly egressAllow: ReadonlyArray<string>
  /** The same as `egressAllow`, parsed. */
  readonly egressAllowList: EgressAllowList.EgressAllowList
  /** Name servers for the egress guard, as in `10.0.0.2` or `10.0.0.2:5353`; none for the system's. */
  readonly nameServers: ReadonlyArray<string>
  /** Absolute path of a PEM file. */
  readonly extraCa: Option.Option<string>
  /** The registry that component code's npm packages come from; `None` for the public one. */
  readonly npmRegistry: Option.Option<string>
  /** The SMTP server that messages are sent through, and their sender; `None` to send none. */
  readonly smtp: Option.Option<{ readonly url: Redacted.Redacted; readonly from: string }>
  /** The e-mail that the server takes; `None` to take none. Paths of PEM files are absolute. */
  readonly mail: Option.Option<{
    readonly host: string
    readonly port: number
    readonly domain: string
    readonly maxBytes: number
    readonly maxConnections: number
    readonly tls: Option.Option<{ readonly certPath: string; readonly keyPath: string }>
  }>
  /** The bucket that has large files of accounts; `None` to keep all of them in the database. */
  readonly fileBucket: Option.Option<FileBucketSettings>
  /** The index that Python packages come from; `None` for the public one. */
  readonly pythonIndex: Option.Option<string>
  readonly retentionDays: number
  /** Days that the audit log is kept for. */
  readonly auditDays: number
  /** Requests a second per account; 0 for no limit. */
  readonly rateLimit: number
  /** Bytes a second per account; 0 for no limit. */
  readonly byteRateLimit: number
  /** Bytes of an ingested request's body. */
  readonly maxBody: number
  /** Bytes of component code. */
  readonly maxCode: number
  /** Bytes of one configured prop's JSON. */
  readonly maxProp: number
  /** The room in all data stores of an account together. */
  readonly dataStores: Limits["dataStoresOfAccount"]
  /** Limits of each run of component code. */
  readonly runLimits: Pick<
    SandboxLimits,
    "wallMillis" | "cpuMillis" | "heapMebibytes" | "maxHeapMebibytes" | "outputBytes" | "storeValueBytes" | "fileBytes"
  >
  /** Proxies whose word is taken for the address of a request's client. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  /** Names under which the server is reached, beside those of `url` and `host`; `*.` and a name for all below it, `*` for all. */
  readonly allowedHosts: ReadonlyArray<string>
  /** The time that a client's connection is kept without a request, in seconds. */
  readonly keepAliveSeconds: number
  readonly log: LogFormat
  readonly logLevel: SettingLogLevel
  /** Lines a second about runs that succeeded, and as many about deliveries; 0 for all. */
  readonly logRate: number
  /** True if a person reads the server's output, and no file keeps it. */
  readonly showsSecrets: boolean
}

export type LogFormat = "pretty" | "json"

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "none"] as const
export type SettingLogLevel = typeof logLevels[number]

/** The server's settings, from the environment. */
export class ServerConfig extends Context.Service<ServerConfig, ServerSettings>()("@headwater/server/ServerConfig") {
  static readonly layer: Layer.Layer<ServerConfig, ServerConfigInvalid> = Layer.effect(ServerConfig, load())
}

type Parse<A> = (text: string) => Result.Result<A, string>

/** Reads variables one by one and notes what is wrong, so that all of it is told at once. */
class Reading {
  readonly faults: Array<typeof Fault.Type> = []

  fault(variable: string, reason: string): void {
    this.faults.push({ variable, reason })
  }

  has(variable: string): boolean {
    return this.faults.some((fault) => fault.variable === variable)
  }

  /** An unset variable and an empty one, as `docker run -e NAME=` leaves it, mean the default alike. */
  variable<A>(name: string, parse: Parse<A>): Effect.Effect<Option.Option<A>> {
    variables.add(name)
    return Config.option(Config.String(name)).pipe(
      Effect.map((text) => Option.filter(Option.map(text, (value) => value.trim()), (value) => value !== "")),
      Effect.mapError((error) => `cannot be read: ${error.message}`),
      Effect.flatMap((text) =>
        Option.isNone(text)
          ? Effect.succeedNone
          : Effect.asSome(Effect.fromResult(parse(text.value)))
      ),
      Effect.catch((reason) => {
        this.fault(name, reason)
        return Effect.succeedNone
      })
    )
  }

  valueOf<A>(name: string, parse: Parse<A>, byDefault: () => NoInfer<A>): Effect.Effect<A> {
    return Effect.map(this.variable(name, parse), Option.getOrElse(byDefault))
  }
}

/** Every variable that is asked for. */
const variables = new Set<string>()

/** The names in the environment that look like the server's, and mean nothing to it. */
export const unknownVariables = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => name.startsWith("HEADWATER_") && !variables.has(name)).toSorted()

const integer = (minimum: number, maximum: number): Parse<number> => (value) => {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) && number >= minimum && number <= maximum
    ? Result.succeed(number)
    : Result.fail(`must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(value)}`)
}

const oneOf = <const A extends string>(names: ReadonlyArray<A>): Parse<A> => (value) => {
  const name = names.find((candidate) => candidate === value.toLowerCase())
  return name === undefined
    ? Result.fail(`must be one of ${names.join(", ")}, not ${JSON.stringify(value)}`)
    : Result.succeed(name)
}

const publicUrl: Parse<string> = (value) => {
  if (!URL.canParse(value)) return Result.fail(`must be a URL such as https://events.example.com, not ${quote(value)}`)
  const url = new URL(value)
  if (url.protocol !== "http:" && url.protocol !== "https:") return Result.fail("must begin with http:// or https://")
  if (url.username !== "" || url.password !== "") return Result.fail("must not contain a user name or password")
  if (url.search !== "" || url.hash !== "") return Result.fail("must not contain a query or fragment")
  return Result.succeed(value.replace(/\/+$/, ""))
}

const quote = (value: string) => JSON.stringify(value)

/** Reasons never repeat the value, which holds a password. */
const parseDatabaseUrl: Parse<Redacted.Redacted> = (value) => {
  if (!URL.canParse(value)) return Result.fail("must be a URL such as postgres://user:password@host:5432/database")
  const { protocol } = new URL(value)
  return protocol === "postgres:" || protocol === "postgresql:"
    ? Result.succeed(Redacted.make(value))
    : Result.fail("must begin with postgres:// or postgresql://")
}

/** Reasons never repeat the value, which holds a password. */
const smtpUrl: Parse<Redacted.Redacted> = (value) => {
  if (!URL.canParse(value)) return Result.fail("must be a URL such as smtp://user:password@host:587")
  const { hostname, protocol } = new URL(value)
  return (protocol === "smtp:" || protocol === "smtps:") && hostname !== ""
    ? Result.succeed(Redacted.make(value))
    : Result.fail("must begin with smtp:// or smtps:// and a host")
}

const mailFrom: Parse<string> = (value) =>
  /^(?:[^<>@\r\n]* )?<?[^<>@\s]+@[^<>@\s]+>?$/.test(value)
    ? Result.succeed(value)
    : Result.fail(
      `must be an address such as headwater@example.com or Headwater <headwater@example.com>, not ${quote(value)}`
    )

const bucketName: Parse<string> = (value) =>
  /^[\w.-]{3,255}$/.test(value)
    ? Result.succeed(value)
    : Result.fail(`must be the name of a bucket, not ${quote(value)}`)

/** Reasons never repeat the value, which may be a secret. */
const word: Parse<string> = (value) =>
  /^[\x21-\x7e]{1,1000}$/.test(value) ? Result.succeed(value) : Result.fail("must have no blank and nothing but ASCII")

const parseApiKey: Parse<Redacted.Redacted> = (value) =>
  /^hw_[A-Za-z0-9_-]{16,200}$/.test(value)
    ? Result.succeed(Redacted.make(value))
    : Result.fail("must be hw_ followed by 16 to 200 letters, digits, - or _")

const parseSecretKey: Parse<Redacted.Redacted> = (value) => {
  const bytes = Base64.decode(value)
  return Result.isSuccess(bytes) && bytes.success.length === 32
    ? Result.succeed(Redacted.make(value))
    : Result.fail("must be base64 of 32 bytes, such as `openssl rand -base64 32` prints")
}

const nothing = "none"

type Egress = Pick<ServerSettings, "egressAllow" | "egressAllowList">

const egressAllow: Parse<Egress> = (value) => {
  if (value.toLowerCase() === nothing) {
    return Result.succeed({ egressAllow: [], egressAllowList: EgressAllowList.empty })
  }
  const entries = value.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")
  return Result.mapBoth(EgressAllowList.fromEntries(entries), {
    onSuccess: (egressAllowList) => ({ egressAllow: entries, egressAllowList }),
    onFailure: ({ entry }) =>
      `must be ${nothing}, or list CIDRs, host names, or loopback, separated by commas; ${quote(entry)} is none of them`
  })
}

const parseNameServers: Parse<ReadonlyArray<string>> = (value) =>
  Result.all(
    value.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map((entry) =>
      Result.mapBoth(Dns.nameServerFromString(entry), {
        onSuccess: NetAddress.formatInet,
        onFailure: () => `must list IP addresses, each with or without a port, separated by commas; not ${quote(entry)}`
      })
    )
  )

const networks: Parse<ReadonlyArray<IpNetwork.IpNetwork>> = (value) => {
  const found: Array<IpNetwork.IpNetwork> = []
  for (const entry of value.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")) {
    const bits = isIP(entry) === 6 ? 128 : 32
    const network = IpNetwork.fromString(isIP(entry) === 0 ? entry : `${entry}/${bits}`)
    if (Result.isFailure(network)) {
      return Result.fail(
        `must list CIDRs or addresses such as 10.0.0.0/8, separated by commas; ${quote(entry)} is neither`
      )
    }
    found.push(network.success)
  }
  return Result.succeed(found)
}

const parseHost: Parse<string> = (value) =>
  isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)
    ? Result.succeed(value)
    : Result.fail(`must be an IP address or a host name, not ${quote(value)}`)

const hostNames: Parse<ReadonlyArray<string>> = (value) =>
  Result.all(
    value.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "").map((entry) =>
      /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)$/i.test(entry)
        ? Result.succeed(entry)
        : Result.fail(
          `must be *, or list host names such as headwater.internal or *.example.com, without ports; not ${
            quote(entry)
          }`
        )
    )
  )

const parseNode: Parse<{ readonly host: string; readonly port: number }> = (value) => {
  const [, name = "", port = ""] = /^(.*):(\d{1,5})$/.exec(value) ?? []
  const parsed = Result.all({ host: parseHost(name.replace(/^\[(.*)\]$/, "$1")), port: integer(1, 65_535)(port) })
  return Result.mapError(
    parsed,
    () => `must be this server's own host:port, such as 10.0.0.5:8788, not ${quote(value)}`
  )
}

/** True if several processes can listen on one port, and the system divides its connections (`SO_REUSEPORT`). */
const sharesPorts = ["aix", "freebsd", "linux", "sunos"].includes(process.platform)

const mostWorkers = 64

const parseWorkers: Parse<number> = (value) =>
  Result.flatMap(integer(1, mostWorkers)(value), (count) =>
    count === 1 || sharesPorts
      ? Result.succeed(count)
      : Result.fail(`must be 1, because on ${process.platform} several processes can't listen on one port`))

/** Half of the cores, since the database and the sandboxes need as many. */
const workersHere = (): number =>
  sharesPorts ? Math.min(mostWorkers, Math.max(1, Math.floor(availableParallelism() / 2))) : 1

const webAddress: Parse<string> = (value) =>
  URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    ? Result.succeed(value)
    : Result.fail(`must be a URL that begins with http:// or https://, not ${quote(value)}`)

/** A number of a larger unit, in the smaller one. */
const times = (factor: number, parse: Parse<number>): Parse<number> => (value) =>
  Result.map(parse(value), (number) => number * factor)

const path: Parse<string> = (value) => Result.succeed(Path.resolve(value))

/** The server's place among others: its database, its address there, its processes, and its clock. */
const readProcesses = Effect.fnUntraced(function*(reading: Reading) {
  const databaseUrl = yield* reading.variable("DATABASE_URL", parseDatabaseUrl)
  const secretKey = yield* reading.variable("HEADWATER_SECRET_KEY", parseSecretKey)
  if (Option.isSome(databaseUrl) && Option.isNone(secretKey) && !reading.has("HEADWATER_SECRET_KEY")) {
    reading.fault(
      "HEADWATER_SECRET_KEY",
      "is required with DATABASE_URL, the same on every node: base64 of 32 bytes, such as `openssl rand -base64 32` prints"
    )
  }
  const node = yield* reading.variable("HEADWATER_NODE", parseNode)
  if (Option.isSome(node) && Option.isNone(databaseUrl) && !reading.has("DATABASE_URL")) {
    reading.fault("HEADWATER_NODE", "requires DATABASE_URL, because all nodes share one database")
  }
  const devClock = (yield* reading.valueOf("HEADWATER_DEV_CLOCK", oneOf(["0", "1"]), () => "0" as const)) === "1"
  if (devClock && Option.isSome(node)) {
    reading.fault(
      "HEADWATER_DEV_CLOCK",
      "does not go with HEADWATER_NODE: only a server by itself has a clock that can be moved"
    )
  }
  const work = (yield* reading.valueOf("HEADWATER_WORK", oneOf(["on", "off"]), () => "on" as const)) === "on"
  const takeOver = (yield* reading.valueOf("HEADWATER_TAKE_OVER", oneOf(["0", "1"]), () => "0" as const)) === "1"
  const given = yield* reading.variable("HEADWATER_WORKERS", parseWorkers)
  if (devClock && Option.exists(given, (count) => count > 1)) {
    reading.fault("HEADWATER_DEV_CLOCK", "goes with HEADWATER_WORKERS=1 only")
  }
  // An operator who runs several nodes has opened one port for each.
  const workers = Option.getOrElse(given, () => devClock || Option.isSome(node) ? 1 : workersHere())
  if (Option.exists(node, ({ port }) => port + workers - 1 > 65_535)) {
    reading.fault("HEADWATER_NODE", `leaves no ports for ${workers} workers, which take one after the other`)
  }
  // A server that only shows joins no others, and has little to do.
  return work
    ? { databaseUrl, secretKey, node, devClock, workers, work, takeOver }
    : { databaseUrl, secretKey, node: Option.none(), devClock, workers: 1, work, takeOver }
})

const readSmtp = Effect.fnUntraced(function*(reading: Reading) {
  const url = yield* reading.variable("HEADWATER_SMTP_URL", smtpUrl)
  const from = yield* reading.variable("HEADWATER_MAIL_FROM", mailFrom)
  if (Option.isSome(url) && Option.isNone(from) && !reading.has("HEADWATER_MAIL_FROM")) {
    reading.fault("HEADWATER_MAIL_FROM", "is required with HEADWATER_SMTP_URL: the address that messages are from")
  }
  return Option.all({ url, from })
})

/** The e-mail that the server takes, by default at the host and for the domain of its other requests. */
const readMail = Effect.fnUntraced(function*(
  reading: Reading,
  http: { readonly host: string; readonly url: string }
) {
  const port = yield* reading.variable("HEADWATER_MAIL_PORT", integer(1, 65_535))
  const host = yield* reading.valueOf("HEADWATER_MAIL_HOST", parseHost, () => http.host)
  const domain = yield* reading.variable("HEADWATER_MAIL_DOMAIN", parseHost)
  const maxBytes = yield* reading.valueOf(
    "HEADWATER_MAIL_SIZE",
    integer(1_024, 32 * 1024 * 1024),
    () => 10 * 1024 * 1024
  )
  const maxConnections = yield* reading.valueOf("HEADWATER_MAIL_CONNECTIONS", integer(1, 10_000), () => 20)
  const certPath = yield* reading.variable("HEADWATER_MAIL_CERT", path)
  const keyPath = yield* reading.variable("HEADWATER_MAIL_KEY", path)
  if (Option.isSome(certPath) !== Option.isSome(keyPath)) {
    const missing = Option.isNone(certPath) ? "HEADWATER_MAIL_CERT" : "HEADWATER_MAIL_KEY"
    if (!reading.has(missing)) reading.fault(missing, "is required with the other one of the certificate and its key")
  }
  return Option.map(port, (port) => ({
    port,
    host,
    domain: Option.getOrElse(domain, () => new URL(http.url).hostname),
    maxBytes,
    maxConnections,
    tls: Option.all({ certPath, keyPath })
  }))
})

const egressByDefault = (isEmbedded: boolean): Egress =>
  isEmbedded
    ? { egressAllow: ["loopback"], egressAllowList: EgressAllowList.loopback }
    : { egressAllow: [], egressAllowList: EgressAllowList.empty }

const readFileBucket = Effect.fnUntraced(function*(reading: Reading) {
  const endpoint = yield* reading.variable("HEADWATER_FILES_S3_ENDPOINT", webAddress)
  const region = yield* reading.variable("HEADWATER_FILES_S3_REGION", word)
  const needed = {
    bucket: yield* reading.variable("HEADWATER_FILES_S3_BUCKET", bucketName),
    accessKeyId: yield* reading.variable("HEADWATER_FILES_S3_ACCESS_KEY_ID", word),
    secretAccessKey: Option.map(yield* reading.variable("HEADWATER_FILES_S3_SECRET_ACCESS_KEY", word), Redacted.make)
  }
  const given = [
    ["HEADWATER_FILES_S3_BUCKET", Option.isSome(needed.bucket)],
    ["HEADWATER_FILES_S3_ACCESS_KEY_ID", Option.isSome(needed.accessKeyId)],
    ["HEADWATER_FILES_S3_SECRET_ACCESS_KEY", Option.isSome(needed.secretAccessKey)]
  ] as const
  if (Option.isSome(endpoint) || Option.isSome(region) || given.some(([, isGiven]) => isGiven)) {
    for (const [name, isGiven] of given) {
      if (!isGiven && !reading.has(name)) reading.fault(name, "is required with the other HEADWATER_FILES_S3_…")
    }
  }
  return Option.map(Option.all(needed), (bucket) => {
    const name = Option.getOrElse(region, () => "us-east-1")
    return {
      ...bucket,
      region: name,
      endpoint: Option.getOrElse(endpoint, () => `https://s3.${name}.amazonaws.com`).replace(/\/+$/, "")
    }
  })
})

const readRunLimits = Effect.fnUntraced(function*(reading: Reading) {
  const { cpuMillis, fileBytes, heapMebibytes, outputBytes, storeValueBytes, wallMillis } = defaultLimits
  const of = (name: string, parse: Parse<number>, byDefault: number) => reading.valueOf(name, parse, () => byDefault)
  const heap = yield* of("HEADWATER_RUN_HEAP", integer(32, 16 * 1024), heapMebibytes)
  return {
    wallMillis: yield* of("HEADWATER_RUN_SECONDS", times(1_000, integer(1, 300)), wallMillis),
    cpuMillis: yield* of("HEADWATER_RUN_CPU_SECONDS", times(1_000, integer(1, 300)), cpuMillis),
    heapMebibytes: heap,
    maxHeapMebibytes: yield* of("HEADWATER_RUN_HEAP_MAX", integer(heap, 16 * 1024), heap),
    outputBytes: yield* of("HEADWATER_RUN_OUTPUT", integer(64 * 1024, 64 * 1024 * 1024), outputBytes),
    storeValueBytes: yield* of("HEADWATER_MAX_STORED_VALUE", integer(1024, 8 * 1024 * 1024), storeValueBytes),
    fileBytes: yield* of("HEADWATER_RUN_FILES", times(mebibyte, integer(0, 1024)), fileBytes)
  }
})

function load(): Effect.Effect<ServerSettings, ServerConfigInvalid> {
  return Effect.gen(function*() {
    const reading = new Reading()
    const port = yield* reading.valueOf("HEADWATER_PORT", integer(1, 65_535), () => 8787)
    const host = yield* reading.valueOf("HEADWATER_HOST", parseHost, () => "127.0.0.1")
    const npmsOwn = yield* reading.variable("npm_config_registry", webAddress)
    const url = yield* reading.valueOf("HEADWATER_URL", publicUrl, () => urlOf(host, port))
    const processes = yield* readProcesses(reading)
    const smtp = yield* readSmtp(reading)
    const mail = yield* readMail(reading, { host, url })
    const log = yield* reading.valueOf(
      "HEADWATER_LOG",
      oneOf(["pretty", "json"]),
      () => process.stdout.isTTY ? "pretty" : "json"
    )
    const settings: ServerSettings = {
      port,
      host,
      url,
      ...processes,
      dataDirectory: yield* reading.valueOf("HEADWATER_DATA_DIR", path, () => Path.resolve(".headwater")),
      databaseCache: yield* reading.valueOf(
        "HEADWATER_DATABASE_CACHE",
        integer(16, 1_048_576),
        DatabaseCacheSize.here
      ),
      apiKey: yield* reading.variable("HEADWATER_API_KEY", parseApiKey),
      ...yield* reading.valueOf(
        "HEADWATER_EGRESS_ALLOW",
        egressAllow,
        () => egressByDefault(Option.isNone(processes.databaseUrl))
      ),
      nameServers: yield* reading.valueOf("HEADWATER_NAME_SERVERS", parseNameServers, () => []),
      extraCa: yield* reading.variable("HEADWATER_EXTRA_CA", path),
      npmRegistry: Option.orElse(
        yield* reading.variable("HEADWATER_NPM_REGISTRY", webAddress),
        // The registry of npm's own configuration, if npm starts the server.
        () => npmsOwn
      ),
      smtp,
      mail,
      fileBucket: yield* readFileBucket(reading),
      pythonIndex: yield* reading.variable("HEADWATER_PYTHON_INDEX", webAddress),
      retentionDays: yield* reading.valueOf("HEADWATER_RETENTION_DAYS", integer(1, 36_500), () => 30),
      auditDays: yield* reading.valueOf("HEADWATER_AUDIT_DAYS", integer(1, 36_500), () => 90),
      rateLimit: yield* reading.valueOf("HEADWATER_RATE_LIMIT", integer(0, 1_000_000), () => 0),
      byteRateLimit: yield* reading.valueOf(
        "HEADWATER_BYTE_RATE_LIMIT",
        integer(0, Number.MAX_SAFE_INTEGER),
        () => 0
      ),
      maxBody: yield* reading.valueOf("HEADWATER_MAX_BODY", integer(1, 64 * 1024 * 1024), () => 524_288),
      maxCode: yield* reading.valueOf("HEADWATER_MAX_CODE", integer(1, 16 * 1024 * 1024), () => 1_048_576),
      maxProp: yield* reading.valueOf("HEADWATER_MAX_PROP", integer(1, 16 * 1024 * 1024), () => 65_536),
      dataStores: {
        bytes: yield* reading.valueOf(
          "HEADWATER_DATA_STORES",
          times(mebibyte, integer(1, 1024 * 1024)),
          () => 1024 * mebibyte
        ),
        entries: yield* reading.valueOf("HEADWATER_DATA_STORE_ENTRIES", integer(1, 1_000_000_000), () => 1_000_000)
      },
      runLimits: yield* readRunLimits(reading),
      trustedProxies: yield* reading.valueOf("HEADWATER_TRUSTED_PROXIES", networks, () => []),
      allowedHosts: yield* reading.valueOf("HEADWATER_ALLOWED_HOSTS", hostNames, () => []),
      keepAliveSeconds: yield* reading.valueOf("HEADWATER_KEEP_ALIVE_SECONDS", integer(1, 86_400), () => 75),
      log,
      showsSecrets: log === "pretty" && process.stdout.isTTY,
      logLevel: yield* reading.valueOf("HEADWATER_LOG_LEVEL", oneOf(logLevels), () => "info" as const),
      logRate: yield* reading.valueOf("HEADWATER_LOG_RATE", integer(0, 1_000_000), () => 0)
    }
    if (reading.faults.length > 0) return yield* new ServerConfigInvalid({ faults: reading.faults })
    return settings
  })
}

/** A server that listens on all addresses is reached from its own machine by the loopback address. */
const urlOf = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

const mask = "********"

const mebibyte = 1024 * 1024

/** The settings in effect, one `NAME=value` a line, with secrets masked. */
export const render = (settings: ServerSettings): string => {
  const secret = (value: Option.Option<Redacted.Redacted>, absent: string) => Option.isSome(value) ? mask : absent
  const lines: ReadonlyArray<readonly [string, string | number]> = [
    ["HEADWATER_PORT", settings.port],
    ["HEADWATER_HOST", settings.host],
    ["HEADWATER_URL", settings.url],
    ["DATABASE_URL", Option.match(settings.databaseUrl, { onNone: () => "(embedded Postgres)", onSome: maskPassword })],
    ["HEADWATER_DATA_DIR", settings.dataDirectory],
    ["HEADWATER_DATABASE_CACHE", settings.databaseCache],
    [
      "HEADWATER_NODE",
      Option.match(settings.node, { onNone: () => "", onSome: ({ host, port }) => `${host}:${port}` })
    ],
    ["HEADWATER_WORKERS", settings.workers],
    ["HEADWATER_WORK", settings.work ? "on" : "off"],
    ["HEADWATER_TAKE_OVER", settings.takeOver ? 1 : 0],
    ["HEADWATER_DEV_CLOCK", settings.devClock ? 1 : 0],
    ["HEADWATER_API_KEY", secret(settings.apiKey, "(generated at the first start)")],
    ["HEADWATER_SECRET_KEY", secret(settings.secretKey, "(generated in the data directory)")],
    ["HEADWATER_EGRESS_ALLOW", settings.egressAllow.join(",") || nothing],
    ["HEADWATER_NAME_SERVERS", settings.nameServers.join(",")],
    ["HEADWATER_EXTRA_CA", Option.getOrElse(settings.extraCa, () => "")],
    ["HEADWATER_NPM_REGISTRY", Option.getOrElse(settings.npmRegistry, () => "")],
    [
      "HEADWATER_SMTP_URL",
      Option.match(settings.smtp, { onNone: () => "", onSome: ({ url }) => maskPassword(url) })
    ],
    ["HEADWATER_MAIL_FROM", Option.match(settings.smtp, { onNone: () => "", onSome: ({ from }) => from })],
    ...Option.match(settings.mail, {
      onNone: () => [["HEADWATER_MAIL_PORT", ""] as const],
      onSome: ({ domain, host, maxBytes, maxConnections, port, tls }) =>
        [
          ["HEADWATER_MAIL_PORT", port],
          ["HEADWATER_MAIL_HOST", host],
          ["HEADWATER_MAIL_DOMAIN", domain],
          ["HEADWATER_MAIL_SIZE", maxBytes],
          ["HEADWATER_MAIL_CONNECTIONS", maxConnections],
          ["HEADWATER_MAIL_CERT", Option.match(tls, { onNone: () => "", onSome: ({ certPath }) => certPath })],
          ["HEADWATER_MAIL_KEY", Option.match(tls, { onNone: () => "", onSome: ({ keyPath }) => keyPath })]
        ] as const
    }),
    ...Option.match(settings.fileBucket, {
      onNone: () => [["HEADWATER_FILES_S3_BUCKET", ""] as const],
      onSome: ({ accessKeyId, bucket, endpoint, region }) =>
        [
          ["HEADWATER_FILES_S3_ENDPOINT", endpoint],
          ["HEADWATER_FILES_S3_BUCKET", bucket],
          ["HEADWATER_FILES_S3_REGION", region],
          ["HEADWATER_FILES_S3_ACCESS_KEY_ID", accessKeyId],
          ["HEADWATER_FILES_S3_SECRET_ACCESS_KEY", mask]
        ] as const
    }),
    ["HEADWATER_PYTHON_INDEX", Option.getOrElse(settings.pythonIndex, () => "")],
    ["HEADWATER_RETENTION_DAYS", settings.retentionDays],
    ["HEADWATER_AUDIT_DAYS", settings.auditDays],
    ["HEADWATER_RATE_LIMIT", settings.rateLimit],
    ["HEADWATER_BYTE_RATE_LIMIT", settings.byteRateLimit],
    ["HEADWATER_MAX_BODY", settings.maxBody],
    ["HEADWATER_MAX_CODE", settings.maxCode],
    ["HEADWATER_MAX_PROP", settings.maxProp],
    ["HEADWATER_DATA_STORES", settings.dataStores.bytes / mebibyte],
    ["HEADWATER_DATA_STORE_ENTRIES", settings.dataStores.entries],
    ["HEADWATER_RUN_SECONDS", settings.runLimits.wallMillis / 1_000],
    ["HEADWATER_RUN_CPU_SECONDS", settings.runLimits.cpuMillis / 1_000],
    ["HEADWATER_RUN_HEAP", settings.runLimits.heapMebibytes],
    ["HEADWATER_RUN_HEAP_MAX", settings.runLimits.maxHeapMebibytes],
    ["HEADWATER_RUN_OUTPUT", settings.runLimits.outputBytes],
    ["HEADWATER_RUN_FILES", settings.runLimits.fileBytes / mebibyte],
    ["HEADWATER_MAX_STORED_VALUE", settings.runLimits.storeValueBytes],
    ["HEADWATER_TRUSTED_PROXIES", settings.trustedProxies.map(IpNetwork.format).join(",")],
    ["HEADWATER_ALLOWED_HOSTS", settings.allowedHosts.join(",")],
    ["HEADWATER_KEEP_ALIVE_SECONDS", settings.keepAliveSeconds],
    ["HEADWATER_LOG", settings.log],
    ["HEADWATER_LOG_LEVEL", settings.logLevel],
    ["HEADWATER_LOG_RATE", settings.logRate]
  ]
  return lines.map(([name, value]) => `${name}=${value}`).join("\n")
}

const maskPassword = (value: Redacted.Redacted): string => {
  const url = new URL(Redacted.value(value))
  if (url.password !== "") url.password = mask
  // Postgres takes a password from the query too.
  for (const name of ["password", "sslpassword"]) if (url.searchParams.has(name)) url.searchParams.set(name, mask)
  return url.href
}
