/**
 * Starts a sandbox process so that nothing in it tells component code of the host. The runtime is loaded under addresses
 * that are no paths, which stack traces would show. Deno's answers about the process are replaced before
 * `node:process`, whose members can't be changed, takes them over.
 */
// @ts-expect-error made when the runtime is bundled
import fileSystem from "./FileSystem.txt" with { type: "text" }
import { fileSystemText } from "./FileSystemName.ts"
// @ts-expect-error made when the runtime is bundled
import runtime from "./Main.txt" with { type: "text" }
// @ts-expect-error made when the runtime is bundled
import packageOfWebSocket from "./WebSocketPackage.txt" with { type: "text" }
import { webSocketPackage } from "./WebSocketPackageName.ts"

declare const Deno: object

export const hideHost = (): void => {
  for (const [name, value] of Object.entries({ pid: 2, ppid: 1, execPath: () => "/deno" })) {
    Object.defineProperty(Deno, name, { value, writable: true, configurable: true, enumerable: true })
  }
  Object.defineProperty(globalThis, fileSystemText, { value: fileSystem, configurable: true })
}

const addressOf = (code: string): string => URL.createObjectURL(new Blob([code], { type: "text/javascript" }))

export const loadRuntime = (): Promise<unknown> =>
  import(addressOf((runtime as string).replace(webSocketPackage, addressOf(packageOfWebSocket as string))))
