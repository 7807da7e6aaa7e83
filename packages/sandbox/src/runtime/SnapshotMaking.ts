/**
 * Writes the memory of an interpreter that has loaded our modules, and those that most code imports, to standard output:
 * one that begins with it is ready in a fraction of the time.
 */
import { loadInterpreter } from "./InterpreterCode.ts"
// @ts-expect-error made when the runtime is bundled
import modules from "./PythonModules.txt" with { type: "text" }

declare const Deno: { readonly stdout: { writeSync(bytes: Uint8Array): number } }

/** Modules that most code imports, and that ours do. */
const imported =
  "ast asyncio base64 collections csv dataclasses datetime decimal email.utils functools hashlib hmac http.cookiejar " +
  "http.client inspect io itertools json linecache logging math mimetypes os random re shutil string sys tempfile textwrap time traceback types typing " +
  "urllib.parse urllib.request uuid"

const interpreter = await loadInterpreter()
interpreter.runPython(imported.split(" ").map((name) => `import ${name}\ndel ${name.split(".")[0]}`).join("\n"))
interpreter.globals.set("sources", interpreter.toPy(JSON.parse(modules as string)))
interpreter.runPython(`
import importlib.abc, importlib.util, sys

class Ours(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in sources else None

    def exec_module(self, module):
        name = module.__name__
        exec(compile(sources[name], f"<headwater>/{name}.py", "exec", dont_inherit=True), module.__dict__)

ours = Ours()
sys.meta_path.insert(0, ours)
for name in sources:
    importlib.import_module(name)
sys.meta_path.remove(ours)
del Ours, ours, sources, name, importlib, sys`)
const snapshot = interpreter.makeMemorySnapshot()
for (let written = 0; written < snapshot.length;) written += Deno.stdout.writeSync(snapshot.subarray(written))
