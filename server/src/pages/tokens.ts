import { contracts } from '@earshot/contracts'
import { listTokens, revokeToken, type Tx } from '@earshot/db'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { makeId } from '../auth/token-values.ts'
import { performOnce, readIdempotencyKey } from '../http/idempotency.ts'
import { compileInput } from '../http/input.ts'
import { createOwnToken, presentToken } from '../tokens.ts'
import { type Problems, problemsOf, statusOf } from './fields.ts'
import { type Form, formOf } from './form.ts'
import { type Html, html } from './html.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { olderLink, readListQuery } from './paging.ts'
import { TOKENS_PATH } from './paths.ts'
import { foldedScopes } from './scope-list.ts'
import { readTokenForm, tokenForm } from './token-form.ts'

const DELETE_PATH = `${TOKENS_PATH}delete/`

const readInput = compileInput(contracts.me.tokens.delete.input, new Set(['token_id']))

/** The page to create and delete personal access tokens. */
export function registerTokens(scope: FastifyInstance, options: PageOptions): void {
  scope.get(
    TOKENS_PATH,
    ownPage(options, async (page) => sendTokens(page, options)),
  )

  scope.post(
    TOKENS_PATH,
    ownPage(options, async (page) => {
      const form = formOf(page.request)
      try {
        const created = await createOnce(page, form, options)
        return created ? sendValue(page, created) : sendCreatedBefore(page)
      } catch (error) {
        return sendForm(page, form, problemsOf(error))
      }
    }),
  )

  scope.post(
    DELETE_PATH,
    ownPage(options, async ({ request, reply, session }) => {
      const { token_id: id } = readInput(formOf(request))
      await revokeToken(options.database, session.actor, id)
      return reply.redirect(TOKENS_PATH, 303)
    }),
  )
}

/**
 * Creates one token for a form, however often the form is sent: reloading the page creates no second token and does not show
 * the value again. Returns null when the form was sent before.
 */
async function createOnce({ session }: OwnPage, form: Form, { database, services }: PageOptions) {
  const fields = readTokenForm(form)
  const caller = `credential:${session.credential.id}`
  const key = readIdempotencyKey(form.once) ?? makeId()
  const created: { name: string; token: string }[] = []
  // The work returns nothing, so that the token's value is not stored with the key, not even sealed.
  const work = async (tx: Tx) => void created.push(await createOwnToken({ tx, ...session }, fields))
  await performOnce(
    { tx: database, services },
    { caller, teamId: null, key, operation: TOKENS_PATH, input: form },
    { admit: () => {}, prepare: null, work },
  )
  return created[0] ?? null
}

async function sendTokens(page: OwnPage, { database }: PageOptions): Promise<FastifyReply> {
  const { user, credential } = page.session
  const { results, next_cursor } = await listTokens(database, user.id, readListQuery(page), presentToken)
  return sendPage(page.reply, {
    title: 'Personal access tokens',
    account: user,
    place: TOKENS_PATH,
    body: html`<p>Tokens let your own programs use the API as you. Treat them like passwords.${results.length > 0 && html` Deleting a token also deletes the tokens that were created with it. <a href="#new">Create a token</a>`}</p>
${results.map(rowOf)}
${olderLink(TOKENS_PATH, next_cursor)}
<h2 id="new">Create a token</h2>
${tokenForm({ form: {}, offered: credential.scopes, problems: null })}`,
  })
}

function rowOf({ id, name, hint, scopes, expires_at, last_used_at }: ReturnType<typeof presentToken>): Html {
  return html`<form method="post" action="${DELETE_PATH}" class="row">
<p><strong>${name}</strong> <code>svc_…${hint}</code> <span class="soft">· ${endOf(expires_at)} · ${last_used_at === null ? 'never used' : html`last used ${last_used_at.slice(0, 10)}`}</span></p>
<input type="hidden" name="token_id" value="${id}">
<button class="plain" aria-label="Delete ${name}">Delete</button>
${foldedScopes(scopes)}
</form>
`
}

function endOf(expiresAt: string | null): string {
  if (expiresAt === null) return 'never expires'
  return `${Date.parse(expiresAt) <= Date.now() ? 'expired' : 'expires'} ${expiresAt.slice(0, 10)}`
}

function sendForm({ reply, session: { user, credential } }: OwnPage, form: Form, problems: Problems): FastifyReply {
  return sendPage(reply, {
    title: 'Create a token',
    status: statusOf(problems),
    account: user,
    place: TOKENS_PATH,
    body: html`${tokenForm({ form, offered: credential.scopes, problems })}
<p><a href="${TOKENS_PATH}">Back to your tokens</a></p>`,
  })
}

/** The only page that shows the value. Its address shows the list afterwards. */
function sendValue({ reply, session: { user } }: OwnPage, { name, token }: { name: string; token: string }): FastifyReply {
  return sendPage(reply, {
    title: 'Copy your token',
    account: user,
    place: TOKENS_PATH,
    body: html`<p class="good">${name} was created.</p>
<p><code class="token">${token}</code></p>
<p>Copy it now. You will not be able to see it again.</p>
<p><a href="${TOKENS_PATH}">Back to your tokens</a></p>`,
  })
}

function sendCreatedBefore({ reply, session: { user } }: OwnPage): FastifyReply {
  return sendPage(reply, {
    title: 'Token already created',
    status: 409,
    account: user,
    place: TOKENS_PATH,
    body: html`<p>This form was already sent, and its token was created. Its value is shown only once: if you did not copy it, delete the token and create another.</p>
<p><a href="${TOKENS_PATH}">Back to your tokens</a></p>`,
  })
}
