import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import * as ConsoleRoutes from "../browser/ConsoleRoutes.ts"
import { ConsoleSite } from "../browser/ConsoleSite.ts"
import * as ServerProcess from "../ServerProcess.ts"
import * as PastFigures from "./PastFigures.ts"
import * as Shop from "./Shop.ts"

type Site = ConsoleSite["Service"]

/** The height of the window, in pixels. */
const height = 800

/** The pages whose paths name no thing. */
const others: Shop.Pages = Object.fromEntries(
  ConsoleRoutes.paths.filter((path) => !path.some((segment) => segment.startsWith(":")))
    .map((path) => [path.join("-"), path.join("/")])
)

const schemes = ["light", "dark"] as const

/** How long nothing may be asked of the server before a page counts as drawn, in milliseconds. */
const calmMs = 1_500

const run = promisify(execFile)

/** Takes colours away that nobody sees, where there is a program for it. */
const makeSmall = (path: string): Promise<unknown> =>
  run("pngquant", [
    "--force",
    "--skip-if-larger",
    "--quality",
    "70-98",
    "--speed",
    "1",
    "--strip",
    "--output",
    path,
    path
  ])
    .catch(() => undefined)

/** Brings a page to where there is something to see. */
const prepare: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  trial: async (page) => {
    await page.getByLabel("Event, as JSON").fill("{\"body\":{\"id\":\"pay_7312\",\"order\":20493,\"amount\":84}}")
    await page.getByRole("button", { name: "Run once" }).click()
    await page.getByText("It would emit 1 event").waitFor()
  },
  find: async (page) => {
    await page.keyboard.press("Control+k")
    await page.getByRole("dialog").getByRole("combobox").fill("ledger")
    await page.getByRole("dialog").getByRole("option").first().waitFor()
  }
}

const take = async (page: Page, path: string): Promise<void> => {
  await page.screenshot({ path, animations: "disabled", caret: "hide" })
  await makeSmall(path)
}

const all = async (site: Site, pages: Shop.Pages, directory: string, width: number): Promise<void> => {
  const size = { width, height }
  await Fs.mkdir(directory, { recursive: true })
  for (const colorScheme of schemes) {
    const pathOf = (name: string) => Path.join(directory, `${name}-${colorScheme}.png`)
    const stranger = await site.open("/", { colorScheme, width: size.width })
    await stranger.setViewportSize(size)
    await stranger.getByLabel("API key").waitFor()
    await take(stranger, pathOf("sign-in"))
    const page = await site.signedIn("/overview", { colorScheme, width: size.width })
    await page.setViewportSize(size)
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(site.url + path)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.locator(".waiting").first().waitFor({ state: "detached" })
      await page.waitForTimeout(calmMs)
      await prepare[name]?.(page)
      await take(page, pathOf(name))
    }
  }
}

const screenshots = Command.make(
  "screenshots",
  {
    directory: Argument.String("directory").pipe(Argument.withDefault("docs/images/console")),
    width: Flag.Int("width").pipe(
      Flag.withDefault(1_280),
      Flag.withDescription("Of the window, in pixels.")
    ),
    isAll: Flag.Boolean("all").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Take pictures of the pages that the documentation does not show, too.")
    )
  },
  Effect.fnUntraced(function*({ directory, isAll, width }) {
    const site = yield* ConsoleSite
    yield* PastFigures.write(site.server)
    const shop = yield* Shop.make(site)
    const pages = isAll ? { ...others, ...shop.others, ...shop.documented } : shop.documented
    yield* Effect.promise(() => all(site, pages, directory, width))
    yield* Console.log(`The pictures are in ${directory}.`)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Take pictures of each page of the console for docs/console.md, on a server of its own. pngquant makes them small, " +
      "if it is there. FONTCONFIG_FILE says which fonts there are."
  ),
  Command.provide(ConsoleSite.layerOn(ServerProcess.make))
)

Command.run(screenshots, { version: "1" }).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain())
