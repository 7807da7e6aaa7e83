/** One server-sent event. An event without data only says where the stream goes on. */
export interface ServerSentEvent {
  readonly id: string
  readonly data: string | undefined
}

/** The events of a `text/event-stream` body, as they come. Comments are left out. */
export const read = async function*(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let id = ""
  let isNewId = false
  let data: Array<string> = []
  // Chunks of the line that has not ended yet: a line can be as long as an event is large.
  let unfinished: Array<string> = []
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      const pieces = value.split("\n")
      for (const [index, piece] of pieces.entries()) {
        unfinished.push(piece)
        if (index === pieces.length - 1) break
        const line = unfinished.join("").replace(/\r$/, "")
        unfinished = []
        if (line === "") {
          if (data.length > 0) yield { id, data: data.join("\n") }
          else if (isNewId) yield { id, data: undefined }
          data = []
          isNewId = false
        } else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
        else if (line.startsWith("id:")) {
          id = line.slice(3).trim()
          isNewId = true
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
