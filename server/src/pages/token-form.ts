import { contracts, type Scope, scopeDescriptions, scopes } from '@earshot/contracts'
import { makeId } from '../auth/token-values.ts'
import { compileInput } from '../http/input.ts'
import type { TokenWish } from '../tokens.ts'
import { field, type Problems } from './fields.ts'
import type { Form } from './form.ts'
import { type Html, html } from './html.ts'
import { TOKENS_PATH } from './paths.ts'

/** What a scope is about. */
type Subject = Scope extends `${string}:${infer Name}` ? Name : never

/** Under which heading the scopes of each subject stand; in the order of the contracts. */
const headings: Record<Subject, string> = {
  profile: 'Your account',
  tokens: 'Your account',
  teams: 'Your teams',
  members: 'Your teams',
  projects: 'Projects',
  submissions: 'Feedback',
  testimonials: 'Feedback',
  surveys: 'Surveys',
  responses: 'Surveys',
  videos: 'Videos and imports',
  imports: 'Videos and imports',
  widgets: 'Widgets and webhooks',
  webhooks: 'Widgets and webhooks',
  analytics: 'Figures and people',
  contacts: 'Figures and people',
  privacy: 'Figures and people',
}
const DAY_MS = 86_400_000
/** In days. */
const lifetimes: Record<string, string> = { 30: '30 days', 90: '90 days', 365: 'a year', never: 'until you delete it' }
const USUAL_LIFETIME = '90'
/** Begins the name of each box: no field of a form may come twice. */
const BOX = 'scope:'

const readInput = compileInput(contracts.me.tokens.create.input, new Set())

/** What was filled in, by the rules of the operation. Throws `validation_error`. */
export function readTokenForm({ name, lifetime = '', once: _once, ...boxes }: Form): TokenWish {
  const wanted = Object.keys(boxes).map((box) => (box.startsWith(BOX) ? box.slice(BOX.length) : box))
  // The schema has said that it is one.
  return readInput({ name, scopes: wanted, expires_at: endOf(lifetime) })
}

/** The form in which a token is asked for, with what was filled in before. */
export function tokenForm({ form, offered, problems }: { form: Form; offered: readonly Scope[]; problems: Problems }): Html {
  const isWrong = (name: string) => problems?.some(({ field: wrong }) => wrong === name || wrong.startsWith(`${name}.`)) ?? false
  const groups = Map.groupBy(
    scopes.filter((scope) => offered.includes(scope)),
    headingOf,
  )
  return html`<form method="post" action="${TOKENS_PATH}">
<input type="hidden" name="once" value="${makeId()}">
${field({ label: 'Name', name: 'name', value: form.name, autocomplete: 'off', hint: 'What it is for, such as the program that uses it.', problems })}
<label>How long it works <select name="lifetime">${Object.entries(lifetimes).map(
    ([value, words]) => html`<option value="${value}"${value === (form.lifetime ?? USUAL_LIFETIME) && html` selected`}>${words}</option>`,
  )}</select>${isWrong('expires_at') && html`<small class="bad">Choose one of these.</small>`}</label>
<p><strong>What it may do</strong> <span class="soft">never more than you may do yourself</span></p>
${isWrong('scopes') && html`<p class="bad" role="alert">Choose at least one of these.</p>`}
${[...groups].map(([heading, members]) => html`<fieldset><legend>${heading}</legend>${members.map((scope) => boxOf(scope, form))}</fieldset>\n`)}
<div class="actions"><button>Make it</button></div>
</form>`
}

function boxOf(scope: Scope, form: Form): Html {
  const name = BOX + scope
  return html`
<label class="box"><input type="checkbox" name="${name}"${Object.hasOwn(form, name) && html` checked`}><span>${scopeDescriptions[scope]} <small><code>${scope}</code></small></span></label>`
}

function headingOf(scope: Scope): string {
  // A scope is a verb and its subject.
  return headings[scope.slice(scope.indexOf(':') + 1) as Subject]
}

/** What none of the lifetimes is goes on to the operation's own rules, which refuse it. */
function endOf(lifetime: string): string | null {
  if (lifetime === 'never') return null
  return Object.hasOwn(lifetimes, lifetime) ? new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString() : lifetime
}
