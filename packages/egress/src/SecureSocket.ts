import * as Net from "node:net"
import * as Tls from "node:tls"

/** The TLS handshake failed; `certificate` where it is the endpoint's certificate that can't be trusted. */
export class TlsFailed extends Error {
  readonly reason: "tls" | "certificate" | "timeout"

  constructor(message: string, reason: TlsFailed["reason"], options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A peer that accepts and then says nothing would otherwise hold the socket after its request has timed out. */
const handshakeMillis = 15_000

/**
 * Does the TLS handshake on a connected socket, verifying the certificate for `host`.
 *
 * @param protocols what is offered (ALPN), the best first
 */
export const secure = (
  socket: Net.Socket,
  host: string,
  secureContext: Tls.SecureContext,
  protocols: ReadonlyArray<string>,
  onEnd: (ending: Tls.TLSSocket | TlsFailed) => void
): void => {
  const secured = Tls.connect({
    socket,
    secureContext,
    host,
    ALPNProtocols: [...protocols],
    ...(Net.isIP(host) === 0 ? { servername: host } : {})
  })
  let reason: TlsFailed["reason"] = "tls"
  const onError = (error: Error) => {
    secured.destroy()
    // Node reports an untrusted certificate after the handshake.
    if (secured.authorizationError != null) reason = "certificate"
    onEnd(new TlsFailed(error.message, reason, { cause: error }))
  }
  secured.once("error", onError)
  const onTimeout = () => {
    reason = "timeout"
    secured.destroy(new Error(`No TLS handshake within ${handshakeMillis} ms`))
  }
  secured.setTimeout(handshakeMillis, onTimeout)
  secured.once("secureConnect", () => {
    secured.setTimeout(0, onTimeout)
    secured.off("error", onError)
    // Between here and its owner's own listener an error would end the process; the owner sees the close instead.
    secured.on("error", () => {})
    onEnd(secured)
  })
}
