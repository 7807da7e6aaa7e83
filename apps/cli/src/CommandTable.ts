/** All commands in the order of the help, each loaded when it is needed. */
import * as Part from "@headwater/domain/Part"
import { Effect } from "effect"
import type { Command } from "effect/cli"

export interface Entry {
  readonly name: string
  readonly description: string
  readonly load: Effect.Effect<Command.Command.Any, Part.PartMissing>
}

export interface Group {
  readonly group: string
  readonly entries: ReadonlyArray<Entry>
}

const entry = <const Export extends string>(
  name: string,
  description: string,
  load: () => Promise<Readonly<Record<Export, Command.Command.Any>>>,
  exported: Export
): Entry => ({ name, description, load: Effect.map(Part.load(load), (loaded) => loaded[exported]) })

export const groups: ReadonlyArray<Group> = [
  {
    group: "BEGIN",
    entries: [
      entry(
        "start",
        "Run a server until it is told to stop",
        () => import("./commands/StartCommand.ts"),
        "startCommand"
      ),
      entry(
        "login",
        "Save an API key for the other commands",
        () => import("./commands/LoginCommand.ts"),
        "loginCommand"
      ),
      entry(
        "demo",
        "Send a first event to a first webhook, and show how it arrives",
        () => import("./commands/DemoCommand.ts"),
        "demoCommand"
      ),
      entry("logout", "Forget the saved API key", () => import("./commands/SessionCommands.ts"), "logoutCommand"),
      entry(
        "whoami",
        "Show the server and the account that commands speak to",
        () => import("./commands/SessionCommands.ts"),
        "whoamiCommand"
      ),
      entry(
        "settings",
        "Show and change your account's name, address and limits",
        () => import("./commands/SettingsCommand.ts"),
        "settingsCommand"
      ),
      entry("open", "Open the console at a thing", () => import("./commands/OpenCommand.ts"), "openCommand"),
      entry(
        "init",
        "Write a project to begin with, a source or a workflow",
        () => import("./commands/InitCommand.ts"),
        "initCommand"
      )
    ]
  },
  {
    group: "CODE",
    entries: [
      entry(
        "deploy",
        "Create or update a source or workflow from code",
        () => import("./commands/DeployCommand.ts"),
        "deployCommand"
      ),
      entry(
        "dev",
        "Deploy on every save, and show what happens",
        () => import("./commands/DevCommand.ts"),
        "devCommand"
      ),
      entry("check", "Check code before it is deployed", () => import("./commands/CheckCommand.ts"), "checkCommand"),
      entry("run", "Try code once; nothing of it is kept", () => import("./commands/RunCommand.ts"), "runCommand"),
      entry("actions", "Run an action once, by itself", () => import("./commands/ActionsCommand.ts"), "actionsCommand"),
      entry(
        "components",
        "Manage saved component code",
        () => import("./commands/ComponentsCommand.ts"),
        "componentsCommand"
      )
    ]
  },
  {
    group: "THINGS",
    entries: [
      entry(
        "sources",
        "Manage sources, which emit events",
        () => import("./commands/SourcesCommand.ts"),
        "sourcesCommand"
      ),
      entry(
        "workflows",
        "Manage workflows, which run on events",
        () => import("./commands/WorkflowsCommand.ts"),
        "workflowsCommand"
      ),
      entry(
        "webhooks",
        "Manage and try webhooks, which send events to URLs",
        () => import("./commands/WebhooksCommand.ts"),
        "webhooksCommand"
      ),
      entry(
        "subscriptions",
        "Manage who hears what",
        () => import("./commands/SubscriptionsCommand.ts"),
        "subscriptionsCommand"
      ),
      entry(
        "consumers",
        "Manage places in the log, and read from them",
        () => import("./commands/ConsumersCommand.ts"),
        "consumersCommand"
      ),
      entry(
        "credentials",
        "Manage your accounts with the apps that code connects to",
        () => import("./commands/CredentialsCommand.ts"),
        "credentialsCommand"
      ),
      entry("env", "Manage environment variables of code", () => import("./commands/EnvCommand.ts"), "envCommand"),
      entry(
        "projects",
        "Manage projects, whose code shares variables",
        () => import("./commands/ProjectsCommand.ts"),
        "projectsCommand"
      ),
      entry(
        "stores",
        "Manage data stores and their entries",
        () => import("./commands/StoresCommand.ts"),
        "storesCommand"
      ),
      entry("files", "Manage the files of your account", () => import("./commands/FilesCommand.ts"), "filesCommand")
    ]
  },
  {
    group: "EVENTS",
    entries: [
      entry(
        "subscribe",
        "Have a listener hear an emitter",
        () => import("./commands/SubscriptionsCommand.ts"),
        "subscribeCommand"
      ),
      entry(
        "unsubscribe",
        "Have a listener hear an emitter no more",
        () => import("./commands/SubscriptionsCommand.ts"),
        "unsubscribeCommand"
      ),
      entry(
        "trigger",
        "Send an event to a source or workflow",
        () => import("./commands/TriggerCommand.ts"),
        "triggerCommand"
      ),
      entry(
        "listen",
        "Forward events to a program on this machine, signed as a webhook's",
        () => import("./commands/ListenCommand.ts"),
        "listenCommand"
      ),
      entry("tail", "Show events as they come", () => import("./commands/TailCommand.ts"), "tailCommand"),
      entry("events", "List events that were emitted", () => import("./commands/EventsCommand.ts"), "eventsCommand")
    ]
  },
  {
    group: "WHAT HAPPENED",
    entries: [
      entry("logs", "Show what a program prints", () => import("./commands/ProgramStreamCommands.ts"), "logsCommand"),
      entry(
        "errors",
        "Show what fails in a program",
        () => import("./commands/ProgramStreamCommands.ts"),
        "errorsCommand"
      ),
      entry(
        "runs",
        "See the runs of a workflow, and act on them",
        () => import("./commands/RunsCommand.ts"),
        "runsCommand"
      ),
      entry(
        "deliveries",
        "See which events reached your webhooks, and why others did not",
        () => import("./commands/DeliveriesCommand.ts"),
        "deliveriesCommand"
      ),
      entry(
        "why",
        "Show what an event came of, and where it went",
        () => import("./commands/WhyCommand.ts"),
        "whyCommand"
      ),
      entry("retry", "Attempt deliveries once more", () => import("./commands/RetryCommand.ts"), "retryCommand"),
      entry("replay", "Send events to webhooks again", () => import("./commands/RetryCommand.ts"), "replayCommand"),
      entry(
        "bulk",
        "Retry, replay, skip or give up many deliveries",
        () => import("./commands/BulkCommand.ts"),
        "bulkCommand"
      )
    ]
  },
  {
    group: "THE WHOLE SET-UP",
    entries: [
      entry(
        "export",
        "Write the account's set-up as files",
        () => import("./commands/ExportCommand.ts"),
        "exportCommand"
      ),
      entry("apply", "Make the account as the files say", () => import("./commands/ApplyCommand.ts"), "applyCommand"),
      entry("import", "Move in from elsewhere", () => import("./commands/ImportCommand.ts"), "importCommand")
    ]
  },
  {
    group: "OPERATE A SERVER",
    entries: [
      entry(
        "tenants",
        "Create, list, change, suspend and delete accounts of the server",
        () => import("./commands/TenantsCommand.ts"),
        "tenantsCommand"
      ),
      entry("key", "Create, list, rotate and revoke API keys", () => import("./commands/KeyCommand.ts"), "keyCommand"),
      entry(
        "publish",
        "Put a component in the registry",
        () => import("./commands/PublishCommand.ts"),
        "publishCommand"
      ),
      entry(
        "unpublish",
        "Take a component out of the registry",
        () => import("./commands/PublishCommand.ts"),
        "unpublishCommand"
      ),
      entry(
        "doctor",
        "Check the server and what it stands on",
        () => import("./commands/DoctorCommand.ts"),
        "doctorCommand"
      ),
      entry("config", "Show the settings of the server", () => import("./commands/ConfigCommand.ts"), "configCommand"),
      entry(
        "clock",
        "Move the clock of a server that has a dev clock",
        () => import("./commands/ClockCommand.ts"),
        "clockCommand"
      )
    ]
  }
]

/** Names of earlier versions, under which commands go on. */
export const earlier: ReadonlyMap<string, string> = new Map([["account", "tenants"], ["accounts", "credentials"]])
