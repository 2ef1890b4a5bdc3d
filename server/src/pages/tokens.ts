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

/** Where personal access tokens are made and deleted. */
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
        const made = await makeOnce(page, form, options)
        return made ? sendValue(page, made) : sendMadeBefore(page)
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
 * A form makes one token, however often it is sent: who reloads the answer makes no second one, and does not see the
 * value again. Null when it was sent before.
 */
async function makeOnce({ session }: OwnPage, form: Form, { database: executor, services: { secretBox } }: PageOptions) {
  const wish = readTokenForm(form)
  const caller = `credential:${session.credential.id}`
  const key = readIdempotencyKey(form.once) ?? makeId()
  const made: { name: string; token: string }[] = []
  // The value is no answer of the work, so nothing of it is kept with the key, not even sealed.
  const work = async (tx: Tx) => void made.push(await createOwnToken({ tx, ...session }, wish))
  await performOnce({ executor, secretBox }, { caller, key, operation: TOKENS_PATH, input: form }, { admit: () => {}, work })
  return made[0] ?? null
}

async function sendTokens(page: OwnPage, { database }: PageOptions): Promise<FastifyReply> {
  const { user, credential } = page.session
  const { results, next_cursor } = await listTokens(database, user.id, readListQuery(page), presentToken)
  return sendPage(page.reply, {
    title: 'Personal access tokens',
    account: user,
    body: html`<p>For programs of your own: whoever has the value of one may do what it may do, as you.${results.length > 0 && html` Deleting one stops it at once, and those that it made. <a href="#new">Make another</a>`}</p>
${results.map(rowOf)}
${olderLink(TOKENS_PATH, next_cursor)}
<h2 id="new">Make a token</h2>
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
  if (expiresAt === null) return 'never ends'
  return `${Date.parse(expiresAt) <= Date.now() ? 'ended' : 'ends'} ${expiresAt.slice(0, 10)}`
}

function sendForm({ reply, session: { user, credential } }: OwnPage, form: Form, problems: Problems): FastifyReply {
  return sendPage(reply, {
    title: 'Make a token',
    status: statusOf(problems),
    account: user,
    body: html`${tokenForm({ form, offered: credential.scopes, problems })}
<p><a href="${TOKENS_PATH}">Back to your tokens</a></p>`,
  })
}

/** The one page that ever shows the value; another look at the address shows the list. */
function sendValue({ reply, session: { user } }: OwnPage, { name, token }: { name: string; token: string }): FastifyReply {
  return sendPage(reply, {
    title: 'Keep your token',
    account: user,
    body: html`<p class="good">${name} is made.</p>
<p><code class="token">${token}</code></p>
<p>It is shown now and never again: put it where your program keeps its secrets, and nowhere else.</p>
<p><a href="${TOKENS_PATH}">Back to your tokens</a></p>`,
  })
}

function sendMadeBefore({ reply, session: { user } }: OwnPage): FastifyReply {
  return sendPage(reply, {
    title: 'Made already',
    status: 409,
    account: user,
    body: html`<p>This form was sent before, so its token is there. Its value is not shown again: if you did not keep it, delete the token and make another.</p>
<p><a href="${TOKENS_PATH}">Back to your tokens</a></p>`,
  })
}
