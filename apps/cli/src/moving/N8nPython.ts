/** Code of n8n in Python, as a step in Python over the items of the nodes before it. */
import { literal } from "./MovedModule.ts"
import type { Tell } from "./N8nCode.ts"

/** The items of a node that comes before: what its step returned, or what the event of the trigger is. */
export type Source =
  | { readonly step: string; readonly output: number | undefined }
  /** The kind of its event, and those of all triggers of the workflow. */
  | { readonly trigger: Kind; readonly kinds: ReadonlyArray<Kind> }

type Kind = "http" | "timer" | "manual"

/** Names of n8n that nothing stands for here. */
const unknown =
  /(?<![\w.])_(?:node|workflow|execution|env|vars|now|today|prevNode|runIndex|jmespath|getWorkflowStaticData)\b|(?<![\w.])_\(/g

/** The code in a function: what lies within a text of several lines stays where it is. */
const indented = (code: string): string => {
  let quote: string | undefined
  return code.split("\n").map((line) => {
    const isText = quote !== undefined
    for (const [part] of line.matchAll(/"""|'''|\\.|#.*$|"(?!"")(?:\\.|[^"\\])*"|'(?!'')(?:\\.|[^'\\])*'/g)) {
      if (quote === undefined && (part === "\"\"\"" || part === "'''")) quote = part
      else if (part === quote) quote = undefined
      else if (quote !== undefined && part.endsWith(quote)) quote = undefined
    }
    return isText || line.trim() === "" ? line : `    ${line}`
  }).join("\n")
}

const opening = `from datetime import UTC, datetime
from time import time


class Fields(dict):
    """A dictionary whose entries are attributes, too."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__


def fields(value):
    if isinstance(value, dict):
        return Fields({name: fields(each) for name, each in value.items()})
    return [fields(each) for each in value] if isinstance(value, list) else value


def items_of(value):
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [each if isinstance(each, dict) and isinstance(each.get("json"), dict) else {"json": each} for each in values]


def kind_of(event):
    if isinstance(event, dict) and "method" in event and "headers" in event:
        return "http"
    return "timer" if isinstance(event, dict) and "timestamp" in event and ("cron" in event or "interval_seconds" in event) else "manual"


def begun(event, trigger, kinds):
    """The items with which a trigger begins a run."""
    kind = kind_of(event)
    if len(kinds) > 1 and kind != trigger and (kind in kinds or trigger == "http"):
        return []
    if trigger == "timer":
        at = event.get("timestamp") if isinstance(event, dict) else None
        return [{"json": {"timestamp": datetime.fromtimestamp(at or time(), UTC).isoformat()}}]
    if trigger == "http" and kind == "http":
        return [{"json": {"headers": event["headers"], "params": {}, "query": event.get("query") or {}, "body": event.get("body") or {}}}]
    return items_of({} if event is None else event)


def given(pd, source, output):
    """The items that a step has given; none if it has not run."""
    value = pd.steps.get(source, {}).get("$return_value") or []
    return value if output is None else value[output]


class Input:
    def __init__(self, items):
        self.items = items
        self.item = items[0]

    def all(self):
        return self.items

    def first(self):
        return self.items[0]

    def last(self):
        return self.items[-1]
`

const itemsOf = (source: Source): string =>
  "trigger" in source
    ? `begun(pd.steps["trigger"]["event"], ${literal(source.trigger)}, ${literal(source.kinds)})`
    : `given(pd, ${literal(source.step)}, ${source.output ?? "None"})`

/**
 * The text of the step's file.
 *
 * @param isEach true if the code runs once for each item
 * @param answers true if the first item is the answer to the request
 */
export const textOf = (
  code: string,
  sources: ReadonlyArray<Source>,
  { answers, isEach }: { readonly answers: boolean; readonly isEach: boolean },
  tell: Tell
): string => {
  for (const name of new Set(code.match(unknown))) tell(`${name.replace("(", "")} is not here: write it anew`)
  const [define, wait] = /\bawait\b/.test(code) ? ["async def", "await "] : ["def", ""]
  const body = code.trim() === "" ? "    return _items" : indented(code.replace(/\r\n?/g, "\n"))
  const made = isEach
    ? `    made = []
    for item in items:
        one = ${wait}run(Input([item]), [item], item, item["json"])
        made += [] if one is None else items_of(one)`
    : `    made = items_of(${wait}run(Input(items), items, items[0], items[0]["json"]))`
  return `# Moved from n8n
${opening}

${define} run(_input, _items, _item, _json):
${body}


${define} handler(pd: "pipedream"):
    items = fields(${sources.map(itemsOf).join(" + ") || "[]"})
    # Without items it does nothing.
    if not items:
        return None
${made}
${answers ? `    pd.respond({"status": 200, "body": made[0]["json"] if made else {}})\n` : ""}    return made
`
}
