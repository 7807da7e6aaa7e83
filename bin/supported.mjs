// Says in one sentence where the server runs, and ends badly, where that is not here.
const supported = new Set(["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"])
const here = `${process.platform}-${process.arch}`

const hasOtherLibc = () => {
  // Else a report looks up the names of all connections.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

if (!supported.has(here) || (process.platform === "linux" && hasOtherLibc())) {
  const platform = supported.has(here) ? `${here} with another libc` : here
  console.error(
    `Headwater runs on Linux with glibc and on macOS, on x64 and arm64, and not on ${platform}; on Windows, use WSL 2 or Docker.`
  )
  process.exitCode = 1
}
