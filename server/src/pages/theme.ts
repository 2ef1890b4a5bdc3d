import { parseCookie } from 'cookie'
import { type Html, html } from './html.ts'

/** Set by the dashboard (`web/src/dashboard/theme.ts`). */
const COOKIE = 'earshot_theme'
const THEMES = ['light', 'dark'] as const

/** The colours that this browser was told to use; null: as the device. */
export type Theme = (typeof THEMES)[number] | null

/** Reads the chosen colours from a `Cookie` header. */
export function themeOf(cookies: string | undefined): Theme {
  const chosen = parseCookie(cookies ?? '')[COOKIE]
  return THEMES.find((theme) => theme === chosen) ?? null
}

/** Returns the attribute of `<html>` that fixes the colours before any script runs. */
export function themeAttribute(theme: Theme): Html | false {
  return theme !== null && html` data-theme="${theme}"`
}
