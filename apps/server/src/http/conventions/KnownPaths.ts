import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { path as couriersPath } from "@headwater/domain/Courier"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import * as GuideRoutes from "../handlers/GuideRoutes.ts"

/** The server's rules for matching paths: a trailing slash is optional, everything else counts. */
export const routerConfig: Partial<FindMyWay.RouterConfig> = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: 2_048
}

const router = FindMyWay.make<true>(routerConfig)
const methods = new Set<string>(["GET"])

HttpApi.reflect(HeadwaterApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    methods.add(endpoint.method)
    router.on(endpoint.method, endpoint.path as FindMyWay.PathInput, true)
  }
})
const beside = [
  "/console",
  "/console/*",
  "/docs",
  "/favicon.ico",
  "/files/:key",
  "/healthz",
  "/metrics",
  "/oauth/callback",
  "/openapi.json",
  "/readyz"
] as const
for (const method of ["POST", "PUT"] as const) router.on(method, couriersPath, true)
for (const path of [...beside, ...GuideRoutes.paths]) router.on("GET", path, true)

/** A path names something with each of its parameters: one with an empty segment in that place is another path. */
const answersTo = (method: string, url: string): boolean => {
  const route = router.find(method, url)
  return route !== undefined && Object.values(route.params).every((value) => value !== "")
}

/** The methods that a path answers to, for `Allow`; empty for an unknown path. */
export const allowedMethods = (url: string): ReadonlyArray<string> => {
  const found = [...methods].filter((method) => answersTo(method, url))
  if (found.length === 0) return []
  return [...found, ...(found.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort()
}
