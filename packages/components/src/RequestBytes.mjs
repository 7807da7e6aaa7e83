/** The bytes of a request's body, which are what its sender has signed. */
export const bytesOf = (request) =>
  request.bodyBase64 === undefined ? Buffer.from(request.bodyRaw ?? "") : Buffer.from(request.bodyBase64, "base64")
