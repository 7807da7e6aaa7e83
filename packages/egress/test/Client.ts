/** An HTTP client over loopback for tests. */
import { Effect, Layer } from "effect"
import * as EgressAllowList from "../src/EgressAllowList.ts"
import { EgressGuard } from "../src/EgressGuard.ts"
import { EgressHttp, type EgressHttpRequest } from "../src/EgressHttp.ts"
import { NameResolver } from "../src/NameResolver.ts"

const zone = NameResolver.layerStatic({
  "hooks.example.com": ["127.0.0.1"],
  "other.example.com": ["127.0.0.1"],
  "inside.test": ["10.0.0.1"]
})

/** Each name has to be asked for. */
const unknownNames = Layer.effect(
  NameResolver,
  Effect.map(NameResolver, (names) => NameResolver.of({ ...names, known: () => undefined }))
).pipe(Layer.provide(zone))

export const over = <E>(
  names: Layer.Layer<NameResolver, E>,
  extraCa?: string
): Layer.Layer<EgressHttp | EgressGuard, E> =>
  EgressHttp.layer(extraCa === undefined ? {} : { extraCa }).pipe(
    Layer.provideMerge(EgressGuard.layerNoNames(EgressAllowList.loopback)),
    Layer.provide(names)
  )

/** @param extraCa PEM text of an authority to be trusted */
export const layer = (extraCa?: string): Layer.Layer<EgressHttp | EgressGuard> => over(unknownNames, extraCa)

export const asker = { accountId: "u_1", use: "delivery" } as const

/** A POST with a time-out of 20 s, of whose answer 1 KiB is kept. */
export const request = (url: string, more: Partial<EgressHttpRequest> = {}) =>
  Effect.flatMap(EgressHttp, (http) =>
    http.request({
      asker,
      method: "POST",
      url,
      headers: {},
      body: "{}",
      timeoutMillis: 20_000,
      maxBodyBytes: 1024,
      ...more
    }))
