import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks"
import { address, documentation, hrefOf } from "./api/Address.ts"
import { Loading } from "./api/Loading.ts"
import * as Session from "./api/Session.ts"
import { Failed } from "./parts/Failed.tsx"
import { Mark, Menu } from "./parts/Icons.tsx"
import { Keyboard, openKeys, openPalette } from "./parts/Keyboard.tsx"
import { Notices } from "./parts/Notices.tsx"
import { Waiting } from "./parts/Waiting.tsx"
import * as Imports from "./resources/Imports.ts"
import { find, first, movingIn, type Params, places, type Route } from "./routes.ts"
import { SignIn } from "./SignIn.tsx"
import { choose, type Theme, theme } from "./Theme.ts"
import * as Zone from "./Zone.ts"

const scopeMeaning: Record<Session.Scope, string> = {
  read: "may read",
  run: "may read, run and send",
  write: "may do everything"
}

const ThemeChoice = () => (
  <label class="choice">
    <span>Colours</span>
    <select
      value={theme.value}
      onChange={(event) => choose(event.currentTarget.value as Theme)}
    >
      <option value="system">system</option>
      <option value="light">light</option>
      <option value="dark">dark</option>
    </select>
  </label>
)

const ZoneChoice = () => (
  <label class="choice">
    <span>Times</span>
    <select value={Zone.zone} onChange={({ currentTarget: { value } }) => Zone.choose(value as Zone.Zone)}>
      <option value="here">here</option>
      <option value="UTC">UTC</option>
    </select>
  </label>
)

const Navigation = () => {
  const isOpen = useSignal(false)
  const current = address.value.path[0] ?? first[0]
  const session = Session.session.value
  // A reader who has none misses nothing if this fails.
  useEffect(() => {
    const abort = new AbortController()
    Imports.list(abort.signal).catch(() => undefined)
    return () => abort.abort()
  }, [])
  return (
    <header class={`navigation ${isOpen.value ? "is-open" : ""}`}>
      <div class="brand">
        <a href={hrefOf([])}>
          <Mark />
          <span>Headwater</span>
        </a>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen.value}
          aria-controls="places"
          aria-label="Menu"
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          <Menu />
        </button>
      </div>
      <div id="places" class="places">
        <button type="button" class="quiet find" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
          Find anything <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Pages">
          {(Imports.isAny.value ? [...places, movingIn] : places).map(({ name, path }) => (
            <a
              key={path}
              href={hrefOf([path])}
              aria-current={path === current ? "page" : undefined}
              onClick={() => {
                isOpen.value = false
              }}
            >
              {name}
            </a>
          ))}
        </nav>
        <div class="self">
          {session === undefined ? null : (
            <p>
              <b>{session.account.username}</b>
              <br />
              Key {session.key.name === "" ? <code>{session.key.id}</code> : <q>{session.key.name}</q>}:{" "}
              {scopeMeaning[session.is_read_only ? "read" : session.key.scope]}
            </p>
          )}
          <a href={new URL("README", documentation).href}>Documentation</a>
          <ThemeChoice />
          <ZoneChoice />
          <button type="button" class="quiet" aria-keyshortcuts="?" onClick={openKeys}>
            Shortcuts <kbd>?</kbd>
          </button>
          <button type="button" class="quiet" onClick={() => void Session.signOut()}>Sign out</button>
        </div>
      </div>
    </header>
  )
}

const ReadOnly = () => (
  <aside class="read-only" aria-label="How the server runs">
    <b>This server runs without work.</b>{" "}
    It shows what is there, and takes, runs, sends and changes nothing: neither by this page nor by the API.{" "}
    <a href={new URL("operating#a-copy-that-only-looks", documentation).href}>What that is for</a>
  </aside>
)

const Page = ({ params, route }: { readonly route: Route; readonly params: Params }) => {
  const loading = useMemo(() => new Loading(route.load), [route])
  useEffect(() => {
    void loading.reload()
  }, [loading])
  const loaded = loading.loaded.value
  if (loaded.state === "loading") return <Waiting what="the page" />
  if (loaded.state === "failed") {
    return (
      <Failed
        what="This page could not be loaded."
        failure={loaded.failure}
        advice="The server may have a newer version of the console. Load the page again."
        onRetry={() => location.reload()}
      />
    )
  }
  const Component = loaded.value.default
  return <Component params={params} />
}

const Content = () => {
  const { path } = address.value
  const found = find(path.length === 0 ? first : path)
  const content = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const title = found?.route.title ?? "Not found"
  const place = path.join("/")
  useLayoutEffect(() => {
    document.title = `${title} · Headwater`
    // A screen reader goes on with the new page; it reads the first page anyway.
    if (!isFirst.current) content.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [place, title])
  return (
    <main id="content" ref={content} tabIndex={-1}>
      {found === undefined
        ? (
          <div class="page">
            <h1>Page not found</h1>
            <p>
              <code>{path.join("/")}</code> leads nowhere. <a href={hrefOf(first)}>Go to the overview</a>.
            </p>
          </div>
        )
        : <Page key={place} route={found.route} params={found.params} />}
    </main>
  )
}

/** The frame around every page. */
export const Shell = () => {
  const reader = Session.reader.value
  switch (reader.state) {
    case "unknown":
      return <Waiting what="the console" />
    case "unreachable":
      return (
        <main class="alone">
          <Failed
            what="The server could not be reached to check who you are."
            failure={reader.failure}
            onRetry={() => void Session.find()}
          />
        </main>
      )
    case "out":
      return <SignIn why={reader.why} />
    case "in":
      return (
        <div class="shell">
          <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
            Skip to the content
          </button>
          {reader.session.is_read_only ? <ReadOnly /> : null}
          <Navigation />
          <Content />
          <Notices />
          <Keyboard />
        </div>
      )
  }
}
