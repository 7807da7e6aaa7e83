/**
 * The facts of the system that libraries ask for, mostly to name their platform in a header. The answers say nothing of
 * the host: they are the same everywhere.
 */
const user = { uid: 65_534, gid: 65_534, username: "component", homedir: "/", shell: null }
const memory = 256 * 1024 * 1024
const processor = { model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }

const ofSystem: Readonly<Record<string, () => unknown>> = {
  availableParallelism: () => 1,
  cpus: () => [processor],
  freemem: () => memory,
  getPriority: () => 0,
  homedir: () => user.homedir,
  hostname: () => "component",
  loadavg: () => [0, 0, 0],
  networkInterfaces: () => ({}),
  release: () => "0.0.0",
  tmpdir: () => "/tmp",
  totalmem: () => memory,
  uptime: () => process.uptime(),
  userInfo: () => ({ ...user }),
  version: () => ""
}

const ofProcess: Readonly<Record<string, () => unknown>> = {
  availableMemory: () => memory,
  constrainedMemory: () => memory,
  getegid: () => user.gid,
  geteuid: () => user.uid,
  getgid: () => user.gid,
  getgroups: () => [user.gid],
  getuid: () => user.uid,
  umask: () => 0o022
}

const set = (target: object, members: Readonly<Record<string, () => unknown>>) => {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })
  }
}

export const installSystem = (): void => {
  set(process.getBuiltinModule("node:os"), ofSystem)
  set(process, ofProcess)
  process.title = "deno"
}
