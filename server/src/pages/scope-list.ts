import { type Scope, scopeDescriptions } from '@earshot/contracts'
import { type Html, html } from './html.ts'

/** Scopes in the words of the contracts. */
export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul>
${scopes.map((scope) => html`<li>${scopeDescriptions[scope]} <small><code>${scope}</code></small></li>\n`)}</ul>`
}

/** The same, folded up: for lists of what has scopes. */
export function foldedScopes(scopes: readonly Scope[]): Html {
  return html`<details><summary>${scopes.length === 1 ? 'May do one thing' : html`May do ${scopes.length} things`}</summary>${scopeList(scopes)}</details>`
}
