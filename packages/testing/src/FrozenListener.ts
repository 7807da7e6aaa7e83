/** Runs as a process: listens, tells its port, and does nothing more for as long as who started it is there. */
import { createServer } from "node:net"

const startedBy = process.ppid
const server = createServer()
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  const address = server.address()
  process.send!(typeof address === "object" && address !== null ? address.port : 0, () => {
    const never = new Int32Array(new SharedArrayBuffer(4))
    while (process.ppid === startedBy) Atomics.wait(never, 0, 0, 1_000)
    process.exit()
  })
})
