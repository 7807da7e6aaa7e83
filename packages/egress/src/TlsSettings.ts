import { Redacted } from "effect"
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import * as Tls from "node:tls"

/** An account's settings for the TLS connections to one of its endpoints. All PEM text. */
export interface GivenTls {
  /** Authorities that are trusted instead of the public ones. */
  readonly ca?: string
  /** The certificate that the server presents, with those between it and its authority. */
  readonly certificate?: string
  /** The private key of the certificate. */
  readonly key?: Redacted.Redacted
}

/** The same with an id that tells it apart: connections made with one are used with no other. */
export interface TlsSettings extends GivenTls {
  readonly id: string
}

/** One thing that is wrong with PEM text. */
export interface TlsFault {
  readonly path: "ca" | "certificate" | "key"
  readonly message: string
}

export const make = (given: GivenTls): TlsSettings => {
  const { ca, certificate, key } = given
  const parts = [ca ?? null, certificate ?? null, key === undefined ? null : Redacted.value(key)]
  return { ...given, id: createHash("sha256").update(JSON.stringify(parts)).digest("base64url") }
}

/** @param extraCa PEM text of authorities that are trusted beside the public ones */
export const contextOf = (
  { ca, certificate, key }: GivenTls,
  extraCa: string | undefined
): Tls.SecureContext => {
  const trusted = ca ?? (extraCa === undefined ? undefined : [...Tls.rootCertificates, extraCa])
  return Tls.createSecureContext({
    ...(trusted === undefined ? {} : { ca: trusted }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key: Redacted.value(key) })
  })
}

const begin = "-----BEGIN CERTIFICATE-----"
const end = "-----END CERTIFICATE-----"

const certificatesOf = (pem: string): ReadonlyArray<X509Certificate> | undefined => {
  const blocks = pem.split(begin).slice(1)
  const isAllBlocks = pem.split(begin)[0]!.trim() === "" && blocks.every((block) => block.split(end)[1]?.trim() === "")
  if (blocks.length === 0 || !isAllBlocks) return undefined
  try {
    return blocks.map((block) => new X509Certificate(begin + block))
  } catch {
    return undefined
  }
}

const keyOf = (pem: string): KeyObject | "encrypted" | undefined => {
  if (pem.includes("ENCRYPTED")) return "encrypted"
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** The faults of the given settings, if any. */
export const faultsOf = (given: GivenTls): ReadonlyArray<TlsFault> => {
  const faults: Array<TlsFault> = []
  const fault = (path: TlsFault["path"], message: string) => faults.push({ path, message })
  const read = (path: "ca" | "certificate") => {
    const pem = given[path]
    const found = pem === undefined ? undefined : certificatesOf(pem)
    if (pem !== undefined && found === undefined) fault(path, "must be certificates as PEM text, and nothing else")
    return found
  }
  read("ca")
  const certificates = read("certificate")
  const key = given.key === undefined ? undefined : keyOf(Redacted.value(given.key))
  if (key === "encrypted") fault("key", "is encrypted: give it without a passphrase")
  else if (given.key !== undefined && key === undefined) fault("key", "must be a private key as PEM text")
  if (given.certificate !== undefined && given.key === undefined) fault("key", "is required with a certificate")
  if (given.certificate === undefined && given.key !== undefined) fault("certificate", "is required with a key")
  if (faults.length > 0) return faults
  if (certificates !== undefined && !certificates[0]!.checkPrivateKey(key as KeyObject)) {
    fault("key", "is not the key of the first certificate")
    return faults
  }
  try {
    contextOf(given, undefined)
  } catch (error) {
    // OpenSSL refuses certificates that it holds for too weak, for one.
    fault(given.certificate === undefined ? "ca" : "certificate", `can't be used: ${reasonOf(error)}`)
  }
  return faults
}

const reasonOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return text.slice(text.lastIndexOf(":") + 1).trim()
}
