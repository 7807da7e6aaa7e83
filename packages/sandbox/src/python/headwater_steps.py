"""Runs steps that are written in Python: what a step sees as `pd`, and what becomes of what it does."""

import ast
import asyncio
import collections.abc
import contextlib
import importlib
import inspect
import io
import json
import linecache
import os
import random
import re
import shutil
import sys
import time
import traceback
import types
import zipfile

from pyodide.ffi import JsException, run_sync, to_js

# The files of the runtime, which tracebacks leave out.
OWN = "<headwater>/"
TMP = "/tmp"
DEVICES = "/dev"
PACKAGES = "/packages"
UNFINISHED = f"{PACKAGES}/unfinished"

# Modules by which Python reaches JavaScript.
OF_INTERPRETER = {"js", "pyodide", "pyodide_js", "_pyodide"}

# What the process offers to the run that is under way, and the credentials of apps among its props.
host, credentials = None, []

# The packages that are at hand, by their key.
packages = ""

# What a process begins with.
first_modules, first_path, first_finders, first_devices = frozenset(), [], [], frozenset()


class Output(io.TextIOBase):
    """Standard output and standard error: what is written becomes lines of the console, each with its last line end."""

    def __init__(self, level):
        self.level = level
        self.held = ""

    def writable(self):
        return True

    def write(self, text):
        self.held += text
        if self.held.endswith("\n"):
            self.flush()
        return len(text)

    def flush(self):
        text, self.held = self.held.removesuffix("\n"), ""
        if text and host is not None:
            host.log(self.level, text)


def sleep(seconds):
    """`time.sleep`, which lets the process hear of other things meanwhile."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    run_sync(asyncio.sleep(seconds))


def raised(error):
    """The exception of Python for one of JavaScript."""
    name = getattr(error.js_error, "name", "Error")
    known = {"TypeError": TypeError, "RangeError": ValueError, "SyntaxError": ValueError}
    made = known.get(name, RuntimeError)(str(getattr(error.js_error, "message", error)))
    return made


def dumps(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def loads(text):
    return None if text is None else json.loads(text)


def wait(promise):
    try:
        return run_sync(promise)
    except JsException as error:
        raise raised(error) from None


def call(path, args, named):
    """Calls a function of `$`. Bytes among the members of its first argument go beside the JSON."""
    args = list(args)
    if named:
        first = args[0] if args and isinstance(args[0], dict) else {}
        args[:1] = [{**first, **named}]
    blobs = {}
    if args and isinstance(args[0], dict):
        blobs = {name: bytes(value) for name, value in args[0].items() if isinstance(value, (bytes, bytearray, memoryview))}
        args[0] = {name: value for name, value in args[0].items() if name not in blobs}
    pairs = to_js([[name, value] for name, value in blobs.items()])
    return loads(wait(host.call(path, dumps(args), pairs)))


class Calls:
    """Functions of `$`, such as those of `$.flow`, under the same names."""

    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        path = f"{self._path}.{name}"
        if name.startswith("_") or not host.has(path):
            raise AttributeError(f"pd.{self._path} has no {name}")
        return lambda *args, **named: call(path, args, named)


class Database:
    """A store of the workflow's own."""

    def __init__(self, name):
        self._name = name

    def _ask(self, method, *args):
        return wait(host.store(self._name, method, dumps(args)))

    def get(self, key, default=None):
        text = self._ask("get", key)
        return default if text is None else json.loads(text)

    def set(self, key, value):
        self._ask("set", key, value)


class DataStore(Database, collections.abc.MutableMapping):
    """A data store of the account, as a dictionary."""

    def __getitem__(self, key):
        text = self._ask("get", key)
        if text is None:
            raise KeyError(key)
        return json.loads(text)

    def __setitem__(self, key, value):
        self._ask("set", key, value)

    def __delitem__(self, key):
        if key not in self:
            raise KeyError(key)
        self._ask("delete", key)

    def __contains__(self, key):
        return json.loads(self._ask("has", key))

    def __iter__(self):
        return iter(json.loads(self._ask("keys")))

    def __len__(self):
        return json.loads(self._ask("size"))

    def __repr__(self):
        return f"<data store {self._name}>"

    def items(self):
        return dict(json.loads(self._ask("entries"))).items()

    def values(self):
        return dict(self.items()).values()

    def clear(self):
        self._ask("clear")

    def set(self, key, value, ttl=None):
        self._ask("set", key, value, {"ttl": ttl})

    def set_ttl(self, key, ttl):
        self._ask("setTtl", key, ttl)

    def increment(self, key, by=1):
        return json.loads(self._ask("increment", key, by))

    def compare_and_set(self, key, expected, value, ttl=None):
        return json.loads(self._ask("compareAndSet", key, expected, value, {"ttl": ttl}))


def inputs_of(host):
    global credentials
    inputs = json.loads(host.inputs)
    credentials = [value["$auth"] for value in inputs.values() if isinstance(value, dict) and isinstance(value.get("$auth"), dict)]
    for name in json.loads(host.dataStores):
        inputs[name] = DataStore(name)
    for name in json.loads(host.databases):
        inputs[name] = Database(name)
    return inputs


def renew(before, now):
    """Has the run under way find a token that was renewed where it had the one before."""
    for auth in credentials:
        if auth.get("oauth_access_token") == before:
            auth["oauth_access_token"] = now


class Pipedream:
    """What a step is given: `pd`."""

    def __init__(self, steps, inputs, context):
        self.steps = steps
        self.inputs = inputs
        self.context = context
        self.flow = Calls("flow")
        self.send = Calls("send")

    def export(self, name, value):
        call("export", [str(name), value], {})

    def emit(self, event, metadata=None):
        call("emit", [event, metadata], {})

    def respond(self, response=None, **named):
        call("respond", [response or {}], named)

    def __getattr__(self, name):
        if name.startswith("_") or not host.has(name):
            raise AttributeError(f"pd has no {name}")
        return lambda *args, **named: call(name, args, named)


def is_script(tree):
    """True of an older script: it has no handler, and takes what it works on from a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "pipedream.script_helpers":
            return True
        if isinstance(node, ast.Import) and any(name.name == "pipedream.script_helpers" for name in node.names):
            return True
    return False


def defines_handler(tree):
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "handler":
            return True
        if isinstance(node, ast.ImportFrom | ast.Import) and any((name.asname or name.name) == "handler" for name in node.names):
            return True
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == "handler" for target in targets):
            return True
    return False


def fault(message, line=1, column=1):
    return dumps({"fault": {"message": message, "line": line, "column": column}})


def packages_in(code):
    """What comments such as `# pipedream add-package name==1.0` ask for."""
    found = []
    for number, line in enumerate(code.splitlines(), 1):
        comment = re.match(r"\s*#\s*pipedream\s+add-package\s", line)
        asked = line[comment.end() :].strip() if comment else ""
        if asked:
            found.append({"package": asked, "line": number})
    return found


def imports_in(tree):
    """Modules that are imported and that Python does not have. Those that may be missing are left out."""
    optional = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any("ImportError" in ast.dump(each) or "ModuleNotFound" in ast.dump(each) for each in node.handlers):
            optional.update(id(inner) for each in node.body for inner in ast.walk(each))
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            is_known = top in sys.stdlib_module_names or top in sys.modules or top in OF_INTERPRETER
            if not is_known and id(node) not in optional:
                found.setdefault(top, node.lineno)
    return [{"module": name, "line": line} for name, line in found.items()]


@contextlib.contextmanager
def all_writable():
    """Files are ours whatever their permissions say."""
    from pyodide_js import FS

    FS.ignorePermissions = True
    try:
        yield
    finally:
        FS.ignorePermissions = False


def close(top):
    """What is in a folder can't be written to, nor the folder: it would be there for the next run."""
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.join(folder, name) not in (TMP, "/proc/self")]
        # The interpreter adds devices.
        if folder != DEVICES:
            os.chmod(folder, 0o555)
        for path in (os.path.join(folder, name) for name in files):
            if os.path.isfile(path) and not os.path.islink(path):
                os.chmod(path, 0o444)


def unpack(wheels, folder):
    """Has the folder once it is complete."""
    shutil.rmtree(UNFINISHED, ignore_errors=True)
    os.makedirs(UNFINISHED)
    for _, content in wheels:
        with zipfile.ZipFile(io.BytesIO(content.to_bytes())) as wheel:
            wheel.extractall(UNFINISHED)
    close(UNFINISHED)
    os.rename(UNFINISHED, folder)


def take_packages(host):
    """Has the packages of the component at hand, and no others, nor modules of a run before."""
    global packages
    folder = f"{PACKAGES}/{host.packages}" if host.packages else None
    if folder and not os.path.exists(folder):
        with all_writable():
            unpack(host.wheels(), folder)
    is_same = folder and packages == host.packages
    if not is_same:
        sys.meta_path[:] = first_finders
    for name in sys.modules.keys() - first_modules:
        # What packages hold by now stays with them, but for what the step wrote.
        stays = is_same and not str(getattr(sys.modules[name], "__file__", None)).startswith(TMP)
        if not stays and name.partition(".")[0] not in OF_INTERPRETER | sys.stdlib_module_names:
            del sys.modules[name]
    sys.path[:] = [*first_path, folder] if folder else first_path
    importlib.invalidate_caches()
    packages = host.packages


def check(code, file):
    """The fault of a step's code as JSON, or what it needs."""
    try:
        tree = ast.parse(code, file)
        compile(code, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        return fault(f"{type(error).__name__}: {error.msg}", error.lineno or 1, max(error.offset or 1, 1))
    except (ValueError, RecursionError, MemoryError) as error:
        return fault(f"{type(error).__name__}: {error}")
    if not defines_handler(tree) and not is_script(tree):
        return fault('a step in Python has a function handler: write def handler(pd: "pipedream"):')
    return dumps({"needs": {"packages": packages_in(code), "imports": imports_in(tree)}})


def is_own(frame):
    return frame.filename.startswith((OWN, "/python/")) or "/pyodide/" in frame.filename


def told(error, file):
    """An exception as the host is told of it, with the lines of its traceback that are not the runtime's."""
    shown = traceback.TracebackException.from_exception(error, max_group_width=12, max_group_depth=8)
    seen = set()

    def strip(one):
        if one is None or id(one) in seen:
            return
        seen.add(id(one))
        one.stack = traceback.StackSummary.from_list([frame for frame in one.stack if not is_own(frame)])
        for other in [one.__cause__, one.__context__, *(one.exceptions or [])]:
            strip(other)

    strip(shown)
    lines = [frame.lineno for frame in shown.stack if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno)
    return {
        "name": type(error).__name__,
        "message": str(error),
        "stack": "".join(shown.format()).removesuffix("\n"),
        **({"line": lines[-1]} if lines and lines[-1] else {}),
    }


def begin(env):
    os.environ.clear()
    os.environ.update(env)
    os.chdir(TMP)
    # The snapshot that the process began with is everybody's.
    random.seed()


def empty(folder, kept):
    for path in (os.path.join(folder, name) for name in os.listdir(folder) if name not in kept):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)


def end():
    loop = asyncio.get_event_loop()
    for task in asyncio.all_tasks(loop):
        task.cancel()
    sys.stdout.flush()
    sys.stderr.flush()
    with all_writable():
        empty(DEVICES, first_devices)


async def settled(awaitable):
    """A failure as a value: what a task fails with is also printed."""
    try:
        return await awaitable, None
    except BaseException as error:
        return None, error


def execute(code, file, pd):
    tree = ast.parse(code, file)
    compiled = compile(tree, file, "exec", dont_inherit=True)
    has_handler = defines_handler(tree)
    module = types.ModuleType("__step__" if has_handler else "__main__")
    sys.modules[module.__name__] = module
    helpers = sys.modules["pipedream.script_helpers"]
    helpers.steps, helpers.export = pd.steps, pd.export
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    exec(compiled, module.__dict__)
    handler = module.__dict__.get("handler")
    if not has_handler or handler is None:
        return None
    value = handler(pd)
    if not inspect.isawaitable(value):
        return value
    value, error = run_sync(settled(value))
    if error is not None:
        raise error
    return value


def run(offered):
    """Runs a step. Answers JSON: its value, or the exception that it ended with."""
    global host, credentials
    host = offered
    file = host.file
    try:
        begin(json.loads(host.env))
        take_packages(host)
        pd = Pipedream(json.loads(host.steps), inputs_of(host), json.loads(host.context))
        value = execute(host.code, file, pd)
        answer = {} if value is None else {"value": value}
        return dumps(answer)
    except SystemExit as error:
        if error.code is None or error.code == 0:
            return "{}"
        return dumps({"error": told(error, file)})
    except BaseException as error:
        return dumps({"error": told(error, file)})
    finally:
        try:
            end()
        finally:
            host, credentials = None, []


def install():
    global first_modules, first_path, first_finders, first_devices
    sys.stdout, sys.stderr = Output("info"), Output("error")
    sys.argv, sys.executable = [""], ""
    # There is no place to keep it.
    sys.dont_write_bytecode = True
    time.sleep = sleep
    helpers = types.ModuleType("pipedream.script_helpers")
    package = types.ModuleType("pipedream")
    package.__path__ = []
    package.script_helpers = helpers
    sys.modules["pipedream"], sys.modules["pipedream.script_helpers"] = package, helpers
    first_modules, first_path, first_finders = frozenset(sys.modules), list(sys.path), list(sys.meta_path)
    first_devices = frozenset(os.listdir(DEVICES))
    os.makedirs(PACKAGES)
    close("/")
