import { prefixes } from "@headwater/domain/Id"

/** A kind of things that people name. */
export interface Kind {
  /** A thing of it, in words. */
  readonly one: string
  /** The command about them. */
  readonly command: string
  /** Their group in the API. */
  readonly group: string
  /** The prefix of their ids. */
  readonly prefix: string
  /** True if the API takes a name slug in place of an id. */
  readonly hasSlugs: boolean
}

const kind = (one: string, command: string, group: string, prefix: string, hasSlugs: boolean): Kind => ({
  one,
  command,
  group,
  prefix,
  hasSlugs
})

export const source = kind("source", "sources", "sources", prefixes.source, true)
export const workflow = kind("workflow", "workflows", "workflows", prefixes.workflow, true)
export const webhook = kind("webhook", "webhooks", "webhooks", prefixes.webhook, false)
export const consumer = kind("consumer", "consumers", "consumers", prefixes.consumer, false)
export const component = kind("component", "components", "components", prefixes.component, false)
export const subscription = kind("subscription", "subscriptions", "subscriptions", prefixes.subscription, false)
export const project = kind("project", "projects", "projects", prefixes.project, true)
export const dataStore = kind("data store", "stores", "dataStores", prefixes.dataStore, true)
export const run = kind("run", "runs", "workflowRuns", prefixes.run, false)
export const delivery = kind("delivery", "deliveries", "deliveries", prefixes.delivery, false)
export const bulkAction = kind("bulk action", "bulk", "bulkActions", prefixes.bulkAction, false)
export const appAccount = kind("app account", "credentials", "appAccounts", prefixes.appAccount, false)

/** Those that have events of their own. */
export const emitters: ReadonlyArray<Kind> = [source, workflow]

/** Those that can be subscribed to emitters. */
export const listeners: ReadonlyArray<Kind> = [webhook, workflow, source]

/** The ways in which a thing of a kind can be called, for the help of a command. */
export const called = ({ hasSlugs, one, prefix }: Kind): string =>
  prefix === prefixes.subscription
    ? `The ${one}, by its id (${prefix}_…)`
    : `The ${one}, by ${hasSlugs ? "name, slug" : "name"} or id (${prefix}_…)`

export const isIdOf = ({ prefix }: Kind, text: string): boolean => new RegExp(`^${prefix}_[0-9A-Za-z]+$`).test(text)
