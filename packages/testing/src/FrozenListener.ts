/** Runs as a process: listens, tells its port, and does nothing ever after. */
import { createServer } from "node:net"

const server = createServer()
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  const address = server.address()
  process.send!(typeof address === "object" && address !== null ? address.port : 0, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
})
