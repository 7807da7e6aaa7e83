import { Host, NetAddress } from "effect/net"
import * as Fs from "node:fs"

/** The least time between two checks of the files for changes, in milliseconds. */
const freshMillis = 5_000

/** The longest domain name, in characters (RFC 1035, section 2.3.4). */
const longestName = 253

/** More search domains than this are not tried. */
const mostSearchDomains = 16

export interface SystemFiles {
  /** The hosts file; `/etc/hosts` where it is not given. */
  readonly hosts?: string
  /** `resolv.conf(5)`; `/etc/resolv.conf` where it is not given. */
  readonly resolvConf?: string
}

/** The completion of a name that may not be a full one (resolv.conf(5)). */
interface Search {
  readonly domains: ReadonlyArray<string>
  /** A name with so many dots is tried as it is first. */
  readonly ndots: number
}

const parseSearch = (text: string): Search => {
  let domains: ReadonlyArray<string> = []
  let ndots = 1
  for (const line of text.split(/\r?\n/)) {
    const [keyword, ...values] = line.trim().split(/\s+/)
    if (keyword === "search" || keyword === "domain") {
      domains = values.map((value) => value.replace(/\.$/, "")).filter((value) => value !== "").slice(
        0,
        mostSearchDomains
      )
    }
    if (keyword !== "options") continue
    for (const value of values) {
      const [, given] = /^ndots:(\d+)$/.exec(value) ?? []
      if (given !== undefined) ndots = Math.min(Number(given), 15)
    }
  }
  return { domains, ndots }
}

interface FileVersion {
  readonly version: string
  readonly text: string
}

/** The present version of a file, or undefined if it is the known one; a file that can't be read counts as empty. */
const readChanged = (path: string, known: string): FileVersion | undefined => {
  try {
    const { ino, mtimeMs, size } = Fs.statSync(path)
    const version = `${ino} ${size} ${mtimeMs}`
    return version === known ? undefined : { version, text: Fs.readFileSync(path, "utf8") }
  } catch {
    return known === "" ? undefined : { version: "", text: "" }
  }
}

/** The content of a system file, read again when it changed. */
class SystemFile<A> {
  value: A
  private readonly path: string
  private readonly parse: (text: string) => A
  private version = ""

  constructor(path: string, parse: (text: string) => A) {
    this.path = path
    this.parse = parse
    this.value = parse("")
    this.refresh()
  }

  /** Answers whether it changed. */
  refresh(): boolean {
    const changed = readChanged(this.path, this.version)
    if (changed === undefined) return false
    this.version = changed.version
    this.value = this.parse(changed.text)
    return true
  }
}

/** The system's own knowledge of names, without name servers: the hosts file, and the completion of short names. */
export class SystemNames {
  private readonly hosts: SystemFile<Host.HostsTable>
  private readonly search: SystemFile<Search>
  private readAt = Number.NEGATIVE_INFINITY

  constructor({ hosts = "/etc/hosts", resolvConf = "/etc/resolv.conf" }: SystemFiles) {
    this.hosts = new SystemFile(hosts, Host.parseHostsFile)
    this.search = new SystemFile(resolvConf, parseSearch)
  }

  /**
   * Reads the files again if they changed, at most every 5 seconds. Answers whether the name servers may be others now.
   */
  refresh(now: number): boolean {
    if (Math.abs(now - this.readAt) < freshMillis) return false
    this.readAt = now
    this.hosts.refresh()
    return this.search.refresh()
  }

  /** The addresses of a name of the hosts file. `localhost` has its own everywhere (RFC 6761, section 6.3). */
  addressesOf(name: Host.DomainName): ReadonlyArray<NetAddress.IpAddress> | undefined {
    const relative = Host.toRelative(name)
    const isLocal = relative === "localhost" || relative.endsWith(".localhost")
    return this.hosts.value.get(relative) ?? (isLocal ? NetAddress.loopbackAddresses : undefined)
  }

  /** The full names that a name may stand for, in the order in which they are tried. */
  fullNames(name: Host.DomainName): ReadonlyArray<string> {
    const relative = Host.toRelative(name)
    if (Host.isFullyQualified(name)) return [relative]
    const { domains, ndots } = this.search.value
    const completed = domains.map((domain) => `${relative}.${domain}`).filter(({ length }) => length <= longestName)
    return relative.split(".").length > ndots ? [relative, ...completed] : [...completed, relative]
  }
}
