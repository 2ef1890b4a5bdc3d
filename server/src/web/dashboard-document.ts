import { html, scriptData } from '../pages/html.ts'
import { type Theme, themeAttribute } from '../pages/theme.ts'
import type { Assets } from './built-pages.ts'
import type { FirstData } from './dashboard-data.ts'
import { prerender } from './dashboard-prerender.ts'

interface DashboardPage {
  /** Below that of the dashboard. */
  path: string
  assets: Assets
  data: FirstData | null
  baseUrl: string
  theme: Theme
}

/** Returns the document of a page of the dashboard. */
export function dashboardDocument({ path, assets: { script, styles, imports }, data, baseUrl, theme }: DashboardPage): string {
  return html`<!doctype html>
<html lang="en"${themeAttribute(theme)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<meta name="robots" content="noindex">
<meta name="earshot-base-url" content="${baseUrl}">
<title>Earshot</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${styles.map((address) => html`<link rel="stylesheet" href="${address}">`)}
${imports.map((address) => html`<link rel="modulepreload" fetchpriority="low" href="${address}">`)}
<script type="module" src="${script}"></script>
</head>
<body>
<noscript><p>The dashboard needs JavaScript. <a href="/accounts/">Your account</a> works without.</p></noscript>
<div id="app">${prerender(data, path)}</div>
${data && html`<script type="application/json" id="first-data">${scriptData({ now: Date.now(), ...data })}</script>`}
</body>
</html>
`.text
}
