import { contracts, type Scope, scopeDescriptions, scopes } from '@earshot/contracts'
import { makeId } from '../auth/token-values.ts'
import { compileInput } from '../http/input.ts'
import type { TokenInput } from '../tokens.ts'
import { field, type Problems } from './fields.ts'
import type { Form } from './form.ts'
import { type Html, html } from './html.ts'
import { TOKENS_PATH } from './paths.ts'

/** The subject of a scope: the part after the colon. */
type Subject = Scope extends `${string}:${infer Name}` ? Name : never

/** The heading above each subject's scopes. */
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
const lifetimes: Record<string, string> = { 30: '30 days', 90: '90 days', 365: '1 year', never: 'No expiration' }
const DEFAULT_LIFETIME = '90'
/** Prefix of each checkbox's name: fields of a form must not repeat. */
const BOX = 'scope:'

const readInput = compileInput(contracts.me.tokens.create.input, new Set())

/** Reads the form by the rules of the operation. Throws `validation_error`. */
export function readTokenForm({ name, lifetime = '', once: _once, ...boxes }: Form): TokenInput {
  const wanted = Object.keys(boxes).map((box) => (box.startsWith(BOX) ? box.slice(BOX.length) : box))
  return readInput({ name, scopes: wanted, expires_at: endOf(lifetime) })
}

/** The form to create a token, with the values that were sent before. */
export function tokenForm({ form, offered, problems }: { form: Form; offered: readonly Scope[]; problems: Problems }): Html {
  const isWrong = (name: string) => problems?.some(({ field: wrong }) => wrong === name || wrong.startsWith(`${name}.`)) ?? false
  const groups = Map.groupBy(
    scopes.filter((scope) => offered.includes(scope)),
    headingOf,
  )
  return html`<form method="post" action="${TOKENS_PATH}">
<input type="hidden" name="once" value="${makeId()}">
${field({ label: 'Name', name: 'name', value: form.name, autocomplete: 'off', hint: 'What the token is for, such as the name of a program.', problems })}
<label>Expiration <select name="lifetime">${Object.entries(lifetimes).map(
    ([value, words]) => html`<option value="${value}"${value === (form.lifetime ?? DEFAULT_LIFETIME) && html` selected`}>${words}</option>`,
  )}</select>${isWrong('expires_at') && html`<small class="bad">Choose an expiration.</small>`}</label>
<p><strong>Scopes</strong> <span class="soft">A token can never do more than you can.</span></p>
${isWrong('scopes') && html`<p class="bad" role="alert">Choose at least one scope.</p>`}
${[...groups].map(([heading, members]) => html`<fieldset><legend>${heading}</legend>${members.map((scope) => boxOf(scope, form))}</fieldset>\n`)}
<div class="actions"><button>Create token</button></div>
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

/** Passes an unknown lifetime on to the operation's own rules, which refuse it. */
function endOf(lifetime: string): string | null {
  if (lifetime === 'never') return null
  return Object.hasOwn(lifetimes, lifetime) ? new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString() : lifetime
}
