import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { fileURLToPath } from "node:url"
import { type Bundle, ModuleBundler, type ModuleFaulty, type ModuleUnread } from "./ModuleBundler.ts"
import * as SourcePlaces from "./SourcePlaces.ts"
import { moduleName } from "./SourcePlaces.ts"

const commonName = "component.cjs"

/** Modules of our own that components import by the names of others (`components.md`). */
const standIns = {
  "@pipedream/platform": fileURLToPath(new URL("./standins/Platform.ts", import.meta.url)),
  "@pipedream/types": fileURLToPath(new URL("./standins/Types.ts", import.meta.url))
}

/**
 * Makes of a component's module one that the sandbox can run: TypeScript and CommonJS become what it understands, Node's
 * own modules get the names under which it has them, and what has a stand-in becomes part of it.
 */
export class ModuleLinker extends Context.Service<ModuleLinker, {
  /** None where the module can run as it is. */
  link(text: string): Effect.Effect<Option.Option<Bundle>, ModuleFaulty | ModuleUnread>
}>()("@headwater/sandbox/ModuleLinker") {
  static readonly layer: Layer.Layer<ModuleLinker> = Layer.effect(
    ModuleLinker,
    Effect.map(ModuleBundler, (bundler) =>
      ModuleLinker.of({
        link: Effect.fnUntraced(function*(text) {
          const read = yield* bundler.read({ file: moduleName, type: "js", text }).pipe(
            Effect.asSome,
            // Whoever loads it says best what is wrong with it.
            Effect.catchTag("ModuleFaulty", () => Effect.succeedNone)
          )
          if (Option.isNone(read)) return Option.none()
          const { file, imports, isCommon } = read.value
          const isFound = imports.every(({ specifier }) => specifier.startsWith("node:"))
          if (file.type === "js" && !isCommon && isFound) return Option.none()
          // The bundler goes by the name to tell the two kinds of module apart.
          const entry = isCommon ? commonName : moduleName
          const bundle = yield* bundler.bundle({ entry, files: [{ ...file, file: entry, links: [] }], standIns })
          return Option.some({ ...bundle, map: SourcePlaces.renamed(bundle.map, commonName, moduleName) })
        })
      }))
  ).pipe(Layer.provide(ModuleBundler.layer))
}
