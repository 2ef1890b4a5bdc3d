import { type Scope, scopeDescriptions } from '@earshot/contracts'
import { type Html, html } from './html.ts'

/** A list of scopes with their descriptions. */
export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul>
${scopes.map((scope) => html`<li>${scopeDescriptions[scope]} <small><code>${scope}</code></small></li>\n`)}</ul>`
}

/** The same list, collapsed. */
export function foldedScopes(scopes: readonly Scope[]): Html {
  return html`<details><summary>${scopes.length === 1 ? '1 scope' : html`${scopes.length} scopes`}</summary>${scopeList(scopes)}</details>`
}
