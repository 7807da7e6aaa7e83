/** Providers of OAuth 2 as their documentation describes them. Anything else is told by its URLs. */
import type { ClientAuthentication } from "./OAuth.ts"

/** Ways of a provider's endpoints that OAuth 2 has not. */
export interface Peculiarities {
  /** Bodies that go to the token endpoint are JSON, not a form. */
  readonly sendsJson?: true
  /** The authorization endpoint refuses requests with PKCE. */
  readonly refusesPkce?: true
  /** Another name of the parameter `client_id`. */
  readonly clientIdName?: string
  /** Parameters of every request to the token endpoint. */
  readonly tokenParameters?: Readonly<Record<string, string>>
  /** The member of the answer that has the token, if the answer has none itself. */
  readonly tokenWithin?: string
  /** The endpoint that renews tokens, if that is another one. */
  readonly refreshUrl?: string
  /** The life of tokens in seconds, if answers don't say. */
  readonly lifetimeSeconds?: number
}

export interface OAuthProvider extends Peculiarities {
  /** The provider as people call it. */
  readonly title: string
  /** A part in braces is a credential of the account, such as the name of a shop. */
  readonly authorizationUrl: string
  readonly tokenUrl: string
  /** The device authorization endpoint (RFC 8628). */
  readonly deviceUrl?: string
  /** Values for the parts in braces of accounts that don't give any. */
  readonly blanks?: Readonly<Record<string, string>>
  /** A blank unless said. */
  readonly scopeSeparator?: "," | " "
  /** `post` unless said: the client's secret is in the body. */
  readonly clientAuthentication?: ClientAuthentication
  /** Parameters of the authorization URL, such as those without which there is no refresh token. */
  readonly parameters?: Readonly<Record<string, string>>
}

const basic = { clientAuthentication: "basic" } as const

const providers = {
  airtable: {
    title: "Airtable",
    authorizationUrl: "https://airtable.com/oauth2/v1/authorize",
    tokenUrl: "https://airtable.com/oauth2/v1/token",
    ...basic
  },
  amazon: {
    title: "Login with Amazon",
    authorizationUrl: "https://www.amazon.com/ap/oa",
    tokenUrl: "https://api.amazon.com/auth/o2/token"
  },
  asana: {
    title: "Asana",
    authorizationUrl: "https://app.asana.com/-/oauth_authorize",
    tokenUrl: "https://app.asana.com/-/oauth_token"
  },
  atlassian: {
    title: "Atlassian (Jira, Confluence); ask for the scope offline_access",
    authorizationUrl: "https://auth.atlassian.com/authorize",
    tokenUrl: "https://auth.atlassian.com/oauth/token",
    parameters: { audience: "api.atlassian.com", prompt: "consent" }
  },
  auth0: {
    title: "Auth0",
    authorizationUrl: "https://{domain}/authorize",
    tokenUrl: "https://{domain}/oauth/token",
    deviceUrl: "https://{domain}/oauth/device/code"
  },
  aweber: {
    title: "AWeber",
    authorizationUrl: "https://auth.aweber.com/oauth2/authorize",
    tokenUrl: "https://auth.aweber.com/oauth2/token",
    ...basic
  },
  basecamp: {
    title: "Basecamp",
    authorizationUrl: "https://launchpad.37signals.com/authorization/new",
    tokenUrl: "https://launchpad.37signals.com/authorization/token",
    parameters: { type: "web_server" }
  },
  bitbucket: {
    title: "Bitbucket",
    authorizationUrl: "https://bitbucket.org/site/oauth2/authorize",
    tokenUrl: "https://bitbucket.org/site/oauth2/access_token",
    ...basic
  },
  bitly: {
    title: "Bitly",
    authorizationUrl: "https://bitly.com/oauth/authorize",
    tokenUrl: "https://api-ssl.bitly.com/oauth/access_token"
  },
  box: {
    title: "Box",
    authorizationUrl: "https://account.box.com/api/oauth2/authorize",
    tokenUrl: "https://api.box.com/oauth2/token"
  },
  calendly: {
    title: "Calendly",
    authorizationUrl: "https://auth.calendly.com/oauth/authorize",
    tokenUrl: "https://auth.calendly.com/oauth/token",
    ...basic
  },
  canva: {
    title: "Canva",
    authorizationUrl: "https://www.canva.com/api/oauth/authorize",
    tokenUrl: "https://api.canva.com/rest/v1/oauth/token",
    ...basic
  },
  clickup: {
    title: "ClickUp",
    authorizationUrl: "https://app.clickup.com/api",
    tokenUrl: "https://api.clickup.com/api/v2/oauth/token"
  },
  constant_contact: {
    title: "Constant Contact; ask for the scope offline_access",
    authorizationUrl: "https://authz.constantcontact.com/oauth2/default/v1/authorize",
    tokenUrl: "https://authz.constantcontact.com/oauth2/default/v1/token",
    ...basic
  },
  digitalocean: {
    title: "DigitalOcean",
    authorizationUrl: "https://cloud.digitalocean.com/v1/oauth/authorize",
    tokenUrl: "https://cloud.digitalocean.com/v1/oauth/token"
  },
  discord: {
    title: "Discord",
    authorizationUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token"
  },
  docusign: {
    title: "Docusign",
    authorizationUrl: "https://{host}/oauth/auth",
    tokenUrl: "https://{host}/oauth/token",
    blanks: { host: "account.docusign.com" },
    ...basic
  },
  dropbox: {
    title: "Dropbox",
    authorizationUrl: "https://www.dropbox.com/oauth2/authorize",
    tokenUrl: "https://api.dropboxapi.com/oauth2/token",
    parameters: { token_access_type: "offline" }
  },
  eventbrite: {
    title: "Eventbrite",
    authorizationUrl: "https://www.eventbrite.com/oauth/authorize",
    tokenUrl: "https://www.eventbrite.com/oauth/token"
  },
  facebook: {
    title: "Facebook, whose tokens last 60 days at most and are not renewed",
    authorizationUrl: "https://www.facebook.com/dialog/oauth",
    tokenUrl: "https://graph.facebook.com/oauth/access_token",
    scopeSeparator: ","
  },
  figma: {
    title: "Figma",
    authorizationUrl: "https://www.figma.com/oauth",
    tokenUrl: "https://api.figma.com/v1/oauth/token",
    refreshUrl: "https://api.figma.com/v1/oauth/refresh",
    ...basic
  },
  fitbit: {
    title: "Fitbit",
    authorizationUrl: "https://www.fitbit.com/oauth2/authorize",
    tokenUrl: "https://api.fitbit.com/oauth2/token",
    ...basic
  },
  freshbooks: {
    title: "FreshBooks",
    authorizationUrl: "https://auth.freshbooks.com/oauth/authorize",
    tokenUrl: "https://api.freshbooks.com/auth/oauth/token",
    sendsJson: true
  },
  front: {
    title: "Front",
    authorizationUrl: "https://app.frontapp.com/oauth/authorize",
    tokenUrl: "https://app.frontapp.com/oauth/token",
    ...basic
  },
  github: {
    title: "GitHub",
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    deviceUrl: "https://github.com/login/device/code"
  },
  gitlab: {
    title: "GitLab",
    authorizationUrl: "https://{host}/oauth/authorize",
    tokenUrl: "https://{host}/oauth/token",
    deviceUrl: "https://{host}/oauth/authorize_device",
    blanks: { host: "gitlab.com" }
  },
  google: {
    title: "Google (Gmail, Calendar, Drive, Sheets, YouTube)",
    authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    deviceUrl: "https://oauth2.googleapis.com/device/code",
    parameters: { access_type: "offline", prompt: "consent" }
  },
  gumroad: {
    title: "Gumroad",
    authorizationUrl: "https://gumroad.com/oauth/authorize",
    tokenUrl: "https://api.gumroad.com/oauth/token"
  },
  harvest: {
    title: "Harvest",
    authorizationUrl: "https://id.getharvest.com/oauth2/authorize",
    tokenUrl: "https://id.getharvest.com/api/v2/oauth2/token"
  },
  help_scout: {
    title: "Help Scout",
    authorizationUrl: "https://secure.helpscout.net/authentication/authorizeClientApplication",
    tokenUrl: "https://api.helpscout.net/v2/oauth2/token"
  },
  heroku: {
    title: "Heroku",
    authorizationUrl: "https://id.heroku.com/oauth/authorize",
    tokenUrl: "https://id.heroku.com/oauth/token"
  },
  hubspot: {
    title: "HubSpot",
    authorizationUrl: "https://app.hubspot.com/oauth/authorize",
    tokenUrl: "https://api.hubapi.com/oauth/v1/token"
  },
  intercom: {
    title: "Intercom",
    authorizationUrl: "https://app.intercom.com/oauth",
    tokenUrl: "https://api.intercom.io/auth/eagle/token"
  },
  keap: {
    title: "Keap",
    authorizationUrl: "https://accounts.infusionsoft.com/app/oauth/authorize",
    tokenUrl: "https://api.infusionsoft.com/token",
    ...basic
  },
  linear: {
    title: "Linear",
    authorizationUrl: "https://linear.app/oauth/authorize",
    tokenUrl: "https://api.linear.app/oauth/token",
    scopeSeparator: ","
  },
  linkedin: {
    title: "LinkedIn",
    authorizationUrl: "https://www.linkedin.com/oauth/v2/authorization",
    tokenUrl: "https://www.linkedin.com/oauth/v2/accessToken",
    refusesPkce: true
  },
  mailchimp: {
    title: "Mailchimp, whose tokens do not end",
    authorizationUrl: "https://login.mailchimp.com/oauth2/authorize",
    tokenUrl: "https://login.mailchimp.com/oauth2/token"
  },
  meetup: {
    title: "Meetup",
    authorizationUrl: "https://secure.meetup.com/oauth2/authorize",
    tokenUrl: "https://secure.meetup.com/oauth2/access"
  },
  microsoft: {
    title: "Microsoft (Outlook, OneDrive, Teams, Entra ID); ask for the scope offline_access",
    authorizationUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    deviceUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/devicecode",
    blanks: { tenant: "common" }
  },
  miro: {
    title: "Miro",
    authorizationUrl: "https://miro.com/oauth/authorize",
    tokenUrl: "https://api.miro.com/v1/oauth/token"
  },
  monday: {
    title: "monday.com, whose tokens do not end",
    authorizationUrl: "https://auth.monday.com/oauth2/authorize",
    tokenUrl: "https://auth.monday.com/oauth2/token"
  },
  netlify: {
    title: "Netlify",
    authorizationUrl: "https://app.netlify.com/authorize",
    tokenUrl: "https://api.netlify.com/oauth/token"
  },
  notion: {
    title: "Notion",
    authorizationUrl: "https://api.notion.com/v1/oauth/authorize",
    tokenUrl: "https://api.notion.com/v1/oauth/token",
    parameters: { owner: "user" },
    sendsJson: true,
    ...basic
  },
  okta: {
    title: "Okta; ask for the scope offline_access",
    authorizationUrl: "https://{domain}/oauth2/default/v1/authorize",
    tokenUrl: "https://{domain}/oauth2/default/v1/token",
    deviceUrl: "https://{domain}/oauth2/default/v1/device/authorize"
  },
  patreon: {
    title: "Patreon",
    authorizationUrl: "https://www.patreon.com/oauth2/authorize",
    tokenUrl: "https://www.patreon.com/api/oauth2/token"
  },
  pinterest: {
    title: "Pinterest",
    authorizationUrl: "https://www.pinterest.com/oauth/",
    tokenUrl: "https://api.pinterest.com/v5/oauth/token",
    scopeSeparator: ",",
    ...basic
  },
  pipedrive: {
    title: "Pipedrive",
    authorizationUrl: "https://oauth.pipedrive.com/oauth/authorize",
    tokenUrl: "https://oauth.pipedrive.com/oauth/token",
    ...basic
  },
  podio: {
    title: "Podio",
    authorizationUrl: "https://podio.com/oauth/authorize",
    tokenUrl: "https://podio.com/oauth/token"
  },
  quickbooks: {
    title: "QuickBooks Online",
    authorizationUrl: "https://appcenter.intuit.com/connect/oauth2",
    tokenUrl: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
    ...basic
  },
  reddit: {
    title: "Reddit",
    authorizationUrl: "https://www.reddit.com/api/v1/authorize",
    tokenUrl: "https://www.reddit.com/api/v1/access_token",
    parameters: { duration: "permanent" },
    ...basic
  },
  ringcentral: {
    title: "RingCentral",
    authorizationUrl: "https://platform.ringcentral.com/restapi/oauth/authorize",
    tokenUrl: "https://platform.ringcentral.com/restapi/oauth/token",
    ...basic
  },
  salesforce: {
    title: "Salesforce; ask for the scope refresh_token",
    authorizationUrl: "https://{host}/services/oauth2/authorize",
    tokenUrl: "https://{host}/services/oauth2/token",
    blanks: { host: "login.salesforce.com" },
    // Sessions of an org last as long as its administrator says, 2 hours unless changed, and answers don't tell.
    lifetimeSeconds: 7_200
  },
  shopify: {
    title: "Shopify",
    authorizationUrl: "https://{shop_id}.myshopify.com/admin/oauth/authorize",
    tokenUrl: "https://{shop_id}.myshopify.com/admin/oauth/access_token",
    scopeSeparator: ",",
    refusesPkce: true
  },
  slack: {
    title: "Slack",
    authorizationUrl: "https://slack.com/oauth/v2/authorize",
    tokenUrl: "https://slack.com/api/oauth.v2.access",
    scopeSeparator: ",",
    refusesPkce: true,
    tokenWithin: "authed_user"
  },
  spotify: {
    title: "Spotify",
    authorizationUrl: "https://accounts.spotify.com/authorize",
    tokenUrl: "https://accounts.spotify.com/api/token",
    ...basic
  },
  square: {
    title: "Square",
    authorizationUrl: "https://connect.squareup.com/oauth2/authorize",
    tokenUrl: "https://connect.squareup.com/oauth2/token",
    sendsJson: true
  },
  strava: {
    title: "Strava",
    authorizationUrl: "https://www.strava.com/oauth/authorize",
    tokenUrl: "https://www.strava.com/oauth/token",
    scopeSeparator: ","
  },
  stripe: {
    title: "Stripe Connect",
    authorizationUrl: "https://connect.stripe.com/oauth/authorize",
    tokenUrl: "https://connect.stripe.com/oauth/token"
  },
  surveymonkey: {
    title: "SurveyMonkey, whose tokens do not end",
    authorizationUrl: "https://api.surveymonkey.com/oauth/authorize",
    tokenUrl: "https://api.surveymonkey.com/oauth/token"
  },
  tiktok: {
    title: "TikTok",
    authorizationUrl: "https://www.tiktok.com/v2/auth/authorize/",
    tokenUrl: "https://open.tiktokapis.com/v2/oauth/token/",
    scopeSeparator: ",",
    clientIdName: "client_key"
  },
  todoist: {
    title: "Todoist, whose tokens do not end",
    authorizationUrl: "https://todoist.com/oauth/authorize",
    tokenUrl: "https://todoist.com/oauth/access_token",
    scopeSeparator: ","
  },
  twitch: {
    title: "Twitch",
    authorizationUrl: "https://id.twitch.tv/oauth2/authorize",
    tokenUrl: "https://id.twitch.tv/oauth2/token",
    deviceUrl: "https://id.twitch.tv/oauth2/device"
  },
  typeform: {
    title: "Typeform; ask for the scope offline",
    authorizationUrl: "https://api.typeform.com/oauth/authorize",
    tokenUrl: "https://api.typeform.com/oauth/token"
  },
  vimeo: {
    title: "Vimeo, whose tokens do not end",
    authorizationUrl: "https://api.vimeo.com/oauth/authorize",
    tokenUrl: "https://api.vimeo.com/oauth/access_token",
    deviceUrl: "https://api.vimeo.com/oauth/device",
    ...basic
  },
  webflow: {
    title: "Webflow",
    authorizationUrl: "https://webflow.com/oauth/authorize",
    tokenUrl: "https://api.webflow.com/oauth/access_token"
  },
  withings: {
    title: "Withings",
    authorizationUrl: "https://account.withings.com/oauth2_user/authorize2",
    tokenUrl: "https://wbsapi.withings.net/v2/oauth2",
    scopeSeparator: ",",
    tokenParameters: { action: "requesttoken" },
    tokenWithin: "body"
  },
  wordpress: {
    title: "WordPress.com, whose tokens do not end",
    authorizationUrl: "https://public-api.wordpress.com/oauth2/authorize",
    tokenUrl: "https://public-api.wordpress.com/oauth2/token"
  },
  wrike: {
    title: "Wrike",
    authorizationUrl: "https://login.wrike.com/oauth2/authorize/v4",
    tokenUrl: "https://login.wrike.com/oauth2/token",
    scopeSeparator: ","
  },
  x: {
    title: "X; ask for the scope offline.access",
    authorizationUrl: "https://x.com/i/oauth2/authorize",
    tokenUrl: "https://api.x.com/2/oauth2/token",
    ...basic
  },
  xero: {
    title: "Xero; ask for the scope offline_access",
    authorizationUrl: "https://login.xero.com/identity/connect/authorize",
    tokenUrl: "https://identity.xero.com/connect/token",
    ...basic
  },
  yahoo: {
    title: "Yahoo",
    authorizationUrl: "https://api.login.yahoo.com/oauth2/request_auth",
    tokenUrl: "https://api.login.yahoo.com/oauth2/get_token",
    ...basic
  },
  zendesk: {
    title: "Zendesk",
    authorizationUrl: "https://{subdomain}.zendesk.com/oauth/authorizations/new",
    tokenUrl: "https://{subdomain}.zendesk.com/oauth/tokens"
  },
  zoho: {
    title: "Zoho",
    authorizationUrl: "https://accounts.{data_center}/oauth/v2/auth",
    tokenUrl: "https://accounts.{data_center}/oauth/v2/token",
    blanks: { data_center: "zoho.com" },
    scopeSeparator: ",",
    parameters: { access_type: "offline", prompt: "consent" }
  },
  zoom: {
    title: "Zoom",
    authorizationUrl: "https://zoom.us/oauth/authorize",
    tokenUrl: "https://zoom.us/oauth/token",
    deviceUrl: "https://zoom.us/oauth/devicecode",
    ...basic
  }
} satisfies Readonly<Record<string, OAuthProvider>> as Readonly<Record<string, OAuthProvider>>

export const names: ReadonlyArray<string> = Object.keys(providers)

export const get = (name: string): OAuthProvider | undefined =>
  Object.hasOwn(providers, name) ? providers[name] : undefined

/** All of them, by the names that accounts call them by. */
export const all: ReadonlyArray<readonly [string, OAuthProvider]> = Object.entries(providers)
