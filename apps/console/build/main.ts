// Builds the console from the present state of its sources, into a directory of its own.
import { build } from "esbuild"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ComponentTypes from "./ComponentTypes.ts"
import { assetsPath, basePlaceholder, digest, outputs } from "./ConsoleBuild.ts"

const root = Path.resolve(import.meta.dirname, "..")

/** The files that the page loads at once. `theme` comes first and blocks the page, so no wrong colours show. */
const entries = {
  theme: "src/chosenTheme.ts",
  main: "src/main.tsx",
  style: "src/styles/main.css",
  guide: "src/styles/guide.css",
  icon: "src/icon.svg"
}

const current = await digest()
if (current === undefined) throw new Error("there are no sources to build the console from")

await Fs.mkdir(outputs, { recursive: true })
const making = await Fs.mkdtemp(Path.join(outputs, ".making-"))
try {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: Path.join(making, assetsPath),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".svg": "copy" },
    plugins: [{
      name: "component types",
      setup: ({ onLoad, onResolve }) => {
        onResolve({ filter: /^headwater:component-types$/ }, ({ path }) => ({ path, namespace: "component types" }))
        onLoad({ filter: /.*/, namespace: "component types" }, async () => ({
          contents: JSON.stringify(await ComponentTypes.read()),
          loader: "json"
        }))
      }
    }],
    legalComments: "none",
    metafile: true,
    logLevel: "warning"
  })
  const outputOf = (entry: string): readonly [name: string, imports: ReadonlyArray<string>] => {
    const found = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === entry)
    if (found === undefined) throw new Error(`esbuild made nothing of ${entry}`)
    const [path, { imports }] = found
    const loaded = imports.filter(({ external, kind }) => kind === "import-statement" && external !== true)
    return [Path.basename(path), loaded.map((imported) => Path.basename(imported.path))]
  }
  const [main, imports] = outputOf(entries.main)
  const [theme] = outputOf(entries.theme)
  const [style] = outputOf(entries.style)
  const [icon] = outputOf(entries.icon)
  const page = await Fs.readFile(Path.join(root, "src/index.html"), "utf8")
  const head = [
    `<base href="${basePlaceholder}">`,
    `<script src="${assetsPath}/${theme}"></script>`,
    `<link rel="icon" type="image/svg+xml" href="${assetsPath}/${icon}">`,
    `<link rel="stylesheet" href="${assetsPath}/${style}">`,
    ...imports.map((name) => `<link rel="modulepreload" href="${assetsPath}/${name}">`),
    `<script type="module" src="${assetsPath}/${main}"></script>`
  ]
  await Fs.writeFile(Path.join(making, "index.html"), page.replace("<!-- head -->", head.join("\n    ")))
  // Another process may have built the same files first.
  await Fs.rename(making, Path.join(outputs, current)).catch(() => {})
} finally {
  await Fs.rm(making, { recursive: true, force: true })
}
for (const name of await Fs.readdir(outputs)) {
  if (name !== current && !name.startsWith(".making-")) {
    await Fs.rm(Path.join(outputs, name), { recursive: true, force: true })
  }
}
