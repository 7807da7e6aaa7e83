// Ends well where package-lock.json lists what the server needs on this platform. A registry may lack the packages of a
// platform when the lock is written, and npm then installs none of them where the lock leaves them out.
import { readFileSync } from "node:fs"

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))

const admits = (list, value) =>
  list === undefined || list.includes(value) ||
  (list.every((one) => one.startsWith("!")) && !list.includes(`!${value}`))

const isForThisPlatform = ({ cpu, libc, os }) =>
  admits(os, process.platform) && admits(cpu, process.arch) && admits(libc, "glibc")

/** The package that another one gets by a name: the one that lies nearest above it. */
const find = (place, name) => {
  const found = packages[`${place === "" ? "" : `${place}/`}node_modules/${name}`]
  if (found !== undefined || place === "") return found
  return find(place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/"))), name)
}

/** A package of several platforms names one optional package for each. */
const isCovered = ([place, { dev, devOptional, optional, optionalDependencies = {} }]) => {
  if (dev || devOptional || optional) return true
  const named = Object.keys(optionalDependencies).map((name) => find(place, name))
  return named.every((one) => one !== undefined) || named.some((one) => one !== undefined && isForThisPlatform(one))
}

process.exitCode = packages[""] !== undefined && Object.entries(packages).every(isCovered) ? 0 : 1
