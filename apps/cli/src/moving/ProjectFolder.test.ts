import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as ProjectFolder from "./ProjectFolder.ts"

const yaml = "schema: workflow/2022.04\nsteps: []\n"
const state = (id: string) => `schema: workflow.state/2022.04\nid: ${id}\n`

describe("a project's folder", () => {
  it.effect("gives the workflows of all its folders, each with its own files", () =>
    Effect.gen(function*() {
      const folder = yield* Files.make({
        "README.md": "about",
        "a-p_1/.workflow.state": state("p_1"),
        "a-p_1/workflow.yaml": yaml,
        "a-p_1/code/entry.js": "1",
        "a-p_1/code/lib/more.js": "2",
        "a-p_1/node_modules/x/index.js": "3",
        "a-p_1/moved/moving.json": "{}",
        "a-p_1/moved/workflows/a.json": "{}",
        "a-p_1/inner/b-p_2/workflow.yaml": yaml,
        "a-p_1/inner/b-p_2/code/entry.js": "4",
        "deep/er/c/workflow.yaml": yaml,
        "deep/er/c/.workflow.state": state("p_3"),
        "other/workflow.yaml": "name: of another program\n",
        "moved/moving.json": "{}",
        "moved/d-p_4/workflow.yaml": yaml
      })
      const project = yield* ProjectFolder.read(folder)
      assert.deepStrictEqual(
        project.workflows.map(({ files, folder, id, slug }) => [id, folder, slug, files.map(({ path }) => path)]),
        [
          ["p_1", "a-p_1", "a", ["code/entry.js", "code/lib/more.js"]],
          ["p_2", "a-p_1/inner/b-p_2", "b", ["code/entry.js"]],
          ["p_3", "deep/er/c", "c", []]
        ]
      )
      assert.deepStrictEqual([project.unread, project.findings], [[], []])
      const one = yield* ProjectFolder.read(Path.join(folder, "a-p_1/inner/b-p_2"))
      assert.deepStrictEqual(one.workflows.map(({ folder, id, slug }) => [id, folder, slug]), [["p_2", "", "b"]])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("tells what can't be read, and follows no link", () =>
    Effect.gen(function*() {
      const outside = yield* Files.make({ "secret.js": "secret", "x-p_9/workflow.yaml": yaml })
      const folder = yield* Files.make({
        "a-p_1/workflow.yaml": yaml,
        "a-p_1/code/entry.js": "1",
        "b-p_1/workflow.yaml": yaml,
        "c-p_2/.workflow.state": state("p_2"),
        "d-p_3/workflow.yaml": "steps: [",
        "e-p_4/workflow.yaml": "schema: workflow/2022.04\nsteps:\n- uses: a\n",
        "f-p_5/.workflow.state": "id: ../../x",
        "f-p_5/workflow.yaml": yaml
      })
      yield* Effect.promise(async () => {
        await Fs.symlink(Path.join(outside, "secret.js"), Path.join(folder, "a-p_1/code/secret.js"))
        await Fs.symlink(outside, Path.join(folder, "linked"))
        await Fs.mkdir(Path.join(folder, "g-p_6"))
        await Fs.symlink(Path.join(outside, "x-p_9/workflow.yaml"), Path.join(folder, "g-p_6/workflow.yaml"))
      })
      const project = yield* ProjectFolder.read(folder)
      assert.deepStrictEqual(project.workflows.map(({ id }) => id), ["p_1", "p_5"])
      assert.deepStrictEqual(project.workflows[0]!.files.map(({ path }) => path), ["code/entry.js"])
      const places = [
        ...project.findings,
        ...project.workflows.flatMap(({ findings }) => findings),
        ...project.unread.flatMap(({ findings }) => findings)
      ]
        .map(({ file, line }) => `${file}:${line}`)
      assert.sameMembers(places, [
        "linked:1",
        "a-p_1/code/secret.js:1",
        "f-p_5/.workflow.state:1",
        "b-p_1/workflow.yaml:1",
        "c-p_2/workflow.yaml:1",
        "d-p_3/workflow.yaml:1",
        "e-p_4/workflow.yaml:3",
        "g-p_6/workflow.yaml:1"
      ])
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("is refused where there is none", () =>
    Effect.gen(function*() {
      const empty = yield* TemporaryDirectory.make("project")
      assert.match((yield* Effect.flip(ProjectFolder.read(empty))).message, /has no workflow\.yaml/)
      assert.match((yield* Effect.flip(ProjectFolder.read(Path.join(empty, "gone")))).message, /is not a folder/)
    }).pipe(Effect.provide(NodeServices.layer)))
})
