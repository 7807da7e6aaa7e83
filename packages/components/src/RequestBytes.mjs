/** The bytes of a request's body, which are what its sender has signed. */
export const bytesOf = ({ bodyBase64, bodyRaw = "" }) =>
  bodyBase64 === undefined ? Buffer.from(bodyRaw) : Buffer.from(bodyBase64, "base64")
