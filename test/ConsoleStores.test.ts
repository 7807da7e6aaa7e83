import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { ConsoleSite } from "./browser/ConsoleSite.ts"
import { inBrowser } from "./browser/InBrowser.ts"
import * as PageFaults from "./browser/PageFaults.ts"
import * as ServerOnTestDatabase from "./ServerOnTestDatabase.ts"

layer(ConsoleSite.layerOn(ServerOnTestDatabase.make), { excludeTestServices: true })("the console", (it) => {
  it.effect("sets, changes and removes environment variables, and never shows a secret one", () =>
    inBrowser(async ({ api, signedIn }) => {
      const page = await signedIn("/variables")
      await page.getByText("There are no environment variables yet").waitFor()
      const set = async (name: string, value: string, isSecret: boolean) => {
        await page.getByRole("button", { name: "Set a variable" }).click()
        const dialog = page.getByRole("dialog")
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await dialog.getByLabel("Name").fill(name)
        await dialog.getByLabel("Value").fill(value)
        if (isSecret) await dialog.getByLabel("Secret").check()
        await dialog.getByRole("button", { name: "Set" }).click()
        await dialog.waitFor({ state: "detached" })
      }
      await set("SHOP_URL", "https://shop.example", false)
      await set("SHOP_TOKEN", "t-0123456789", true)
      await page.getByRole("gridcell", { name: "https://shop.example" }).waitFor()
      await page.getByRole("gridcell", { name: "SHOP_TOKEN" }).waitFor()
      assert.notInclude(await page.content(), "t-0123456789")

      await page.getByRole("button", { name: "Set a variable" }).click()
      await page.getByRole("dialog").getByLabel("Name").fill("SHOP_TOKEN")
      await page.getByRole("dialog").getByRole("button", { name: "Set" }).click()
      await page.getByRole("alert").getByText("A variable with this name exists").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("gridcell", { name: "SHOP_TOKEN" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Set" }).click()
      await page.getByRole("alert").getByText("Enter its value again").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("gridcell", { name: "https://shop.example" }).click()
      await page.getByRole("dialog").getByLabel("Value").fill("https://new.example")
      await page.getByRole("dialog").getByRole("button", { name: "Set" }).click()
      await page.getByRole("gridcell", { name: "https://new.example" }).waitFor()
      const { data } = await api("GET", "/environment_variables")
      assert.deepStrictEqual<unknown>(
        Json.listOf(data).map(({ name, secret, value }) => [name, value, secret]),
        [["SHOP_TOKEN", null, true], ["SHOP_URL", "https://new.example", false]]
      )
      await page.getByRole("gridcell", { name: "SHOP_URL" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog", { name: "Are you sure?" }).getByRole("button", { name: "Remove" }).click()
      await page.getByRole("gridcell", { name: "SHOP_URL" }).waitFor({ state: "detached" })
    }))

  it.effect("puts a program into a new project, narrows lists to it, and sets the variables of one", () =>
    inBrowser(async ({ api, signedIn }) => {
      const made = async (name: string) => {
        const { data } = await api("POST", "/workflows", { name, workflow_code: "export default { run() {} }" })
        return Json.textOf(data!["id"])
      }
      const [inside, outside] = [await made("Inside"), await made("Outside")]
      const page = await signedIn(`/workflows/${inside}`)
      const changeProject = async (change: (dialog: ReturnType<typeof page.getByRole>) => Promise<unknown>) => {
        await page.getByRole("button", { name: "Change the project" }).click()
        const dialog = page.getByRole("dialog")
        assert.deepStrictEqual(await PageFaults.violations(page), [])
        await change(dialog)
        await dialog.getByRole("button", { name: "Change it" }).click()
        await dialog.waitFor({ state: "detached" })
      }
      await changeProject(async (dialog) => {
        await dialog.getByLabel("A new project").check()
        await dialog.getByLabel("Name").fill("Web shop")
      })
      await page.getByRole("link", { name: "Variables of the project" }).getByText("Web shop").waitFor()
      const { data: project } = await api("GET", "/projects/web-shop")
      Json.assertHolds((await api("GET", `/workflows/${inside}`))["data"], { project_id: project!["id"] })

      await page.goto(page.url().replace(/workflows.*/, "workflows"))
      await page.getByRole("gridcell", { name: "Outside" }).waitFor()
      await page.getByLabel("Project").selectOption("Web shop")
      await page.getByRole("gridcell", { name: "Outside" }).waitFor({ state: "detached" })
      await page.getByRole("gridcell", { name: "Inside" }).click()

      await page.getByRole("link", { name: "Variables of the project" }).click()
      await page.getByText("It has no environment variables of its own").waitFor()
      const set = async (value: string) => {
        await page.getByRole("button", { name: "Set a variable" }).click()
        await page.getByRole("dialog").getByLabel("Name").fill("SHOP")
        await page.getByRole("dialog").getByLabel("Value").fill(value)
        await page.getByRole("dialog").getByRole("button", { name: "Set" }).click()
        await page.getByRole("gridcell", { name: value }).waitFor()
      }
      await set("of the project")
      await page.getByRole("search").getByRole("combobox").selectOption("Outside")
      await page.getByRole("gridcell", { name: "of the project" }).waitFor({ state: "detached" })
      await set("of the workflow")
      const valueOf = async (query: string) =>
        (await api("GET", `/environment_variables/SHOP${query}`))["data"]!["value"]
      assert.strictEqual<unknown>(await valueOf("?project_id=web-shop"), "of the project")
      assert.strictEqual<unknown>(await valueOf(`?program_id=${outside}`), "of the workflow")

      await page.goto(page.url().replace(/variables.*/, `workflows/${inside}`))
      await changeProject((dialog) => dialog.getByRole("combobox").selectOption("none"))
      await page.getByRole("link", { name: "Variables of the project" }).waitFor({ state: "detached" })
      assert.notProperty((await api("GET", `/workflows/${inside}`))["data"], "project_id")
    }))

  it.effect("makes a data store, and sets, finds and removes its entries with all digits of their numbers", () =>
    inBrowser(async ({ api, signedIn }) => {
      const page = await signedIn("/data-stores")
      await page.getByRole("button", { name: "New data store" }).click()
      await page.getByRole("dialog").getByLabel("Name").fill("Visits")
      await page.getByRole("dialog").getByRole("button", { name: "Create" }).click()
      await page.getByRole("heading", { name: "Visits" }).waitFor()
      await page.getByText("This data store is empty").waitFor()
      const set = async (key: string, value: string) => {
        await page.getByRole("button", { name: "Set an entry" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Key").fill(key)
        await dialog.getByLabel("Value").fill(value)
        await dialog.getByRole("button", { name: "Set" }).click()
        return dialog
      }
      const faulty = await set("ann", "{")
      await faulty.getByText("This is not JSON").waitFor()
      await page.keyboard.press("Escape")
      await set("ann", "{\"id\": 8202522731445525542, \"rate\": 0.12345678901234567891}")
      const exact = "{\"id\":8202522731445525542,\"rate\":0.12345678901234567891}"
      await page.getByRole("gridcell", { name: exact }).waitFor()
      await page.getByRole("gridcell", { name: exact }).click()
      const changing = page.getByRole("dialog").getByLabel("Value")
      assert.strictEqual(await changing.inputValue(), exact)
      await changing.fill(exact.replace("}", ",\"seen\":1}"))
      await page.getByRole("dialog").getByRole("button", { name: "Set" }).click()
      await page.getByRole("gridcell", { name: "\"seen\":1" }).waitFor()
      await set("ben", "[]")
      await page.getByText("2 entries").waitFor()
      await page.getByLabel("Keys starting with").fill("b")
      await page.getByRole("gridcell", { name: "ann" }).waitFor({ state: "detached" })
      await page.getByRole("gridcell", { name: "ben" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
      await page.getByRole("dialog", { name: "Are you sure?" }).getByRole("button", { name: "Remove" }).click()
      await page.getByText("No key starts with that").waitFor()
      const [store] = Json.listOf((await api("GET", "/data_stores"))["data"])
      const { data: entries } = await api("GET", `/data_stores/${Json.textOf(store!["id"])}/entries`)
      assert.deepStrictEqual(Json.listOf(entries).map(({ key }) => Json.textOf(key)), ["ann"])
      await page.getByRole("button", { name: "Delete" }).click()
      await page.getByRole("button", { name: "Delete for good" }).click()
      await page.getByText("There are no data stores yet").waitFor()
    }))

  it.effect("uploads a file, finds it, tells a URL of it, and downloads and deletes it", () =>
    inBrowser(async ({ api, signedIn }) => {
      const page = await signedIn("/files")
      await page.getByText("There are no files yet").waitFor()
      await page.getByRole("button", { name: "Upload a file" }).click()
      const dialog = page.getByRole("dialog")
      assert.deepStrictEqual(await PageFaults.violations(page), [])
      await dialog.getByLabel("File").setInputFiles({
        name: "a.txt",
        mimeType: "text/plain",
        buffer: Buffer.from("uploaded")
      })
      await dialog.getByLabel("Path").fill("in/a & b.txt")
      await dialog.getByRole("button", { name: "Upload" }).click()
      await page.getByRole("gridcell", { name: "in/a & b.txt" }).click()
      const [file] = Json.listOf((await api("GET", "/files"))["data"])
      Json.assertHolds(file, { path: "in/a & b.txt", size: 8, content_type: "text/plain" })
      await dialog.getByRole("button", { name: "Copy the URL" }).waitFor()
      assert.deepStrictEqual(await PageFaults.violations(page), [])
      const downloading = page.waitForEvent("download")
      await dialog.getByRole("link", { name: "Download" }).click()
      assert.strictEqual((await downloading).suggestedFilename(), "a & b.txt")
      await dialog.getByRole("button", { name: "Delete" }).click()
      await page.getByRole("dialog", { name: "Are you sure?" }).getByRole("button", { name: "Delete" }).click()
      await page.getByText("There are no files yet").waitFor()
    }))
})
