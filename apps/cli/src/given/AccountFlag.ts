/** The flags that say how an account is to be, for its operator and for itself. */
import { emailForm, isEmail, isUsername, type Quota, usernameForm } from "@headwater/domain/Account"
import * as TimeSpan from "@headwater/domain/TimeSpan"
import { Option } from "effect"
import { Flag } from "effect/cli"

export const username = Flag.String("username").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("The name that the account has: without spaces, at most 100 characters"),
  Flag.filter(isUsername, () => usernameForm)
)

export const email = Flag.String("email").pipe(
  Flag.withMetavar("address"),
  Flag.withDescription("The address at which the account is reached"),
  Flag.filter(isEmail, () => emailForm)
)

const noLimit = "none"

export const limitText = (value: number | null): string => value === null ? noLimit : String(value)

export const timeLimitText = (ms: number | null): string => ms === null ? noLimit : TimeSpan.textOf(ms)

/** A figure of a quota, as the flag of its limit takes it. */
export const quotaText = (quota: Quota, value: number | null): string =>
  quota === "daily_compute_time" ? timeLimitText(value) : limitText(value)

const amountOf = (text: string): number | undefined => /^\d+$/.test(text) ? Number(text) : undefined

const limitFlag = (
  name: string,
  description: string,
  form: { readonly metavar: string; readonly of: (text: string) => number | undefined; readonly words: string }
) =>
  Flag.String(name).pipe(
    Flag.withMetavar(`${form.metavar}|${noLimit}`),
    Flag.withDescription(`${description}; ${noLimit} for no limit`),
    Flag.filterMap(
      (text) =>
        text === noLimit
          ? Option.some(null)
          : Option.filter(Option.fromUndefinedOr(form.of(text)), Number.isSafeInteger),
      () => `${form.words} or ${noLimit}`
    ),
    Flag.optional
  )

/** A limit of how often the account does something; null for none. */
export const limit = (name: string, unit: string) =>
  limitFlag(name, unit, { metavar: "N", of: amountOf, words: "a whole number" })

/** A limit of the time that the account's code may take, in milliseconds; null for none. */
export const timeLimit = (name: string, unit: string) =>
  limitFlag(name, `${unit}, such as 90s, 30m or 12h; a number without a unit is of milliseconds`, {
    metavar: "duration",
    of: TimeSpan.msOrAmountOf,
    words: TimeSpan.form
  })
