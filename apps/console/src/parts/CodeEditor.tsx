import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands"
import { javascript } from "@codemirror/lang-javascript"
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting
} from "@codemirror/language"
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint"
import { unifiedMergeView } from "@codemirror/merge"
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search"
import { Compartment, EditorState, type Extension } from "@codemirror/state"
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers
} from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { type ReadonlySignal, useSignalEffect } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import * as CodeCompletions from "../code/CodeCompletions.ts"
import { offsetIn, type Remark } from "../code/Remark.ts"

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--wait)" },
  { tag: [tags.comment], color: "var(--ink-faint)", fontStyle: "italic" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName)], color: "var(--ink)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--ink)" },
  { tag: [tags.typeName, tags.className], color: "var(--accent)" },
  { tag: tags.invalid, color: "var(--bad)" }
])

const appearance = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "19px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)"
  },
  ".cm-gutters": {
    color: "var(--ink-faint)",
    backgroundColor: "var(--sunken)",
    borderRight: "1px solid var(--line)"
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--ink) 4%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--ink)", backgroundColor: "transparent" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 16%, transparent)" },
  ".cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--line-strong)" },
  ".cm-foldPlaceholder": { color: "var(--ink-faint)", backgroundColor: "transparent", borderColor: "var(--line)" },
  ".cm-specialChar": { color: "var(--bad)" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--sunken)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-textfield": { color: "var(--ink)", backgroundColor: "var(--surface)", border: "1px solid var(--line-strong)" },
  ".cm-button": {
    color: "var(--ink)",
    backgroundImage: "none",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)"
  },
  ".cm-completionInfo": { maxWidth: "24rem", fontFamily: "var(--sans)" },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--surface)", border: "1px solid var(--line)" },
  // The editor's own mark is an image inside a style sheet, which the page's policy forbids.
  ".cm-lint-marker": {
    content: "normal",
    width: "9px",
    height: "9px",
    margin: "5px 2px",
    borderRadius: "50%",
    backgroundColor: "var(--bad)"
  },
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--good) 9%, transparent) !important" },
  "& .cm-changedText": { background: "none !important", boxShadow: "inset 0 -2px var(--good)" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--bad) 9%, transparent) !important" },
  "& .cm-deletedChunk .cm-deletedText": {
    background: "none !important",
    boxShadow: "inset 0 -2px var(--bad)"
  },
  "& .cm-changedLineGutter": { background: "var(--good) !important" },
  "& .cm-deletedLineGutter": { background: "var(--bad) !important" },
  "& .cm-deletedChunk button": {
    padding: "0 0.4rem",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    color: "var(--ink)",
    background: "var(--surface)",
    font: "12px/18px var(--sans)"
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
    textUnderlineOffset: "3px"
  }
})

/** Invisible characters beyond those that the editor shows by itself, such as marks of direction. */
const hidden = /[\u202a-\u202e\u2060-\u206f\ufff9-\ufffb]/g

const optionsOf = (completions: ReadonlyArray<CodeCompletions.Completion>) =>
  completions.map(({ detail, info, label }) => ({
    label,
    detail: detail.length > 60 ? `${detail.slice(0, 59)}…` : detail,
    ...(info === "" ? {} : { info })
  }))

/** Completes after the names that stand before a dot, and the types of props between quotes. */
const complete = (code: CodeCompletions.CompletedCode, context: CompletionContext): CompletionResult | null => {
  const type = context.matchBefore(/(?:\btype|\w): *"[$\w.[\]]*/)
  if (type !== null && (context.explicit || /(?:\btype: *"|"\$)/.test(type.text))) {
    return {
      from: type.from + type.text.lastIndexOf("\"") + 1,
      options: optionsOf(CodeCompletions.propTypes()),
      validFor: /^[$\w.[\]]*$/
    }
  }
  const before = context.matchBefore(/[$\w.]+\.[$\w]*$/)
  if (before === null) return null
  const dot = before.text.lastIndexOf(".")
  const options = optionsOf(CodeCompletions.after(before.text.slice(0, dot), code))
  return options.length === 0 ? null : { from: before.from + dot + 1, options, validFor: /^[$\w]*$/ }
}

/** A button that brings back the lines that run in the place of changed ones. */
const takeBack = (type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement => {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Undo this change"
  button.hidden = type === "accept"
  button.addEventListener("click", act)
  return button
}

/**
 * The editor of code. It lives in a shadow tree, since the page's policy forbids inline styles but allows a shadow tree
 * its own sheets.
 */
export const CodeEditor = ({ code, completed, isReadOnly, label, onChange, onSave, remarks, running, sought }: {
  readonly label: string
  /** The initial text. */
  readonly code: string
  readonly isReadOnly: boolean
  /** The code as it was last understood, whose names are completed. */
  readonly completed: CodeCompletions.CompletedCode
  readonly onChange: (code: string) => void
  /** Called on Control or Command with S. */
  readonly onSave: () => void
  /** The code that runs, if the changes from it are shown. */
  readonly running: string | undefined
  /** The remarks whose places the editor marks. They move neither the caret nor, while somebody types, what is shown. */
  readonly remarks: ReadonlyArray<Remark>
  /** The remark to whose place the reader goes, with the caret. */
  readonly sought: ReadonlySignal<Remark | undefined>
}) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  const current = useRef({ completed, onChange, onSave })
  current.current = { completed, onChange, onSave }
  const comparing = useRef(new Compartment()).current

  useEffect(() => {
    const element = host.current
    if (element === null) return
    const shadow = element.shadowRoot ?? element.attachShadow({ mode: "open", delegatesFocus: true })
    const place = document.createElement("div")
    place.style.height = "100%"
    shadow.replaceChildren(place)
    const changing: Extension = isReadOnly
      ? [EditorState.readOnly.of(true), EditorView.editable.of(false)]
      : [
        history(),
        indentOnInput(),
        autocompletion({ override: [(context) => complete(current.current.completed, context)], icons: false }),
        keymap.of([...historyKeymap, indentWithTab])
      ]
    const made = new EditorView({
      parent: place,
      root: shadow,
      doc: code,
      extensions: [
        lineNumbers(),
        lintGutter(),
        foldGutter(),
        highlightSpecialChars({ addSpecialChars: hidden }),
        drawSelection(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        bracketMatching(),
        javascript({ typescript: true }),
        syntaxHighlighting(colours),
        appearance,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) current.current.onChange(state.doc.toString())
        }),
        keymap.of([
          {
            key: "Mod-s",
            run: () => {
              current.current.onSave()
              return true
            }
          },
          ...searchKeymap,
          ...foldKeymap,
          ...lintKeymap,
          ...defaultKeymap
        ]),
        changing,
        comparing.of([])
      ]
    })
    view.current = made
    return () => made.destroy()
  }, [isReadOnly, label])

  useEffect(() => {
    view.current?.dispatch({
      effects: comparing.reconfigure(
        running === undefined
          ? []
          : unifiedMergeView({ original: running, mergeControls: isReadOnly ? false : takeBack })
      )
    })
  }, [running, isReadOnly, label])

  /** Only the editor scrolls: the message about the place may stand below it in the page. */
  const show = (editor: EditorView, from: number) =>
    editor.requestMeasure({
      read: ({ scrollDOM }) => editor.lineBlockAt(from).top - scrollDOM.clientHeight / 2,
      write: (top, { scrollDOM }) => {
        scrollDOM.scrollTop = top
      }
    })

  useEffect(() => {
    const editor = view.current
    if (editor === undefined) return
    const marks = remarks.map((remark) => {
      const from = offsetIn(editor.state.doc, remark)
      return { from, to: editor.state.doc.lineAt(from).to, severity: "error" as const, message: remark.message }
    })
    editor.dispatch(setDiagnostics(editor.state, marks))
    if (marks[0] !== undefined && !editor.hasFocus) show(editor, marks[0].from)
  }, [JSON.stringify(remarks), isReadOnly, label])

  useSignalEffect(() => {
    const editor = view.current
    if (sought.value === undefined || editor === undefined) return
    const anchor = offsetIn(editor.state.doc, sought.value)
    editor.dispatch({ selection: { anchor } })
    editor.focus()
    show(editor, anchor)
  })

  return <div ref={host} class="editor" />
}
