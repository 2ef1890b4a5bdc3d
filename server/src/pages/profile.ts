import { contracts } from '@earshot/contracts'
import { updateUser } from '@earshot/db'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { compileInput } from '../http/input.ts'
import { field, type Problems, problemsOf, selectField, statusOf } from './fields.ts'
import { type Form, formOf } from './form.ts'
import { type Html, html } from './html.ts'
import { languageNames } from './languages.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { PASSWORD_RESET_PATH, PROFILE_PATH } from './paths.ts'

const zones = new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => [zone, zone.replaceAll('_', ' ')]))

const readInput = compileInput(contracts.me.update.input, new Set())

/** The page to change name, picture, language and time zone. */
export function registerProfile(scope: FastifyInstance, options: PageOptions): void {
  scope.get(
    PROFILE_PATH,
    ownPage(options, async (page) => {
      const { name, avatar_url, locale, timezone } = page.session.user
      return sendForm(page, { name, avatar_url: avatar_url ?? '', locale, timezone }, null)
    }),
  )

  scope.post(
    PROFILE_PATH,
    ownPage(options, async (page) => {
      const form = formOf(page.request)
      try {
        await updateUser(options.database, page.session.actor.userId, readForm(form))
      } catch (error) {
        return sendForm(page, form, problemsOf(error))
      }
      return page.reply.redirect(`${PROFILE_PATH}?saved`, 303)
    }),
  )
}

/** Reads the form by the rules of the operation. An empty address removes the picture. Throws `validation_error`. */
function readForm(form: Form): ReturnType<typeof readInput> {
  const trimmed = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.trim()]))
  return readInput({ ...trimmed, ...(trimmed.avatar_url === '' && { avatar_url: null }) })
}

function sendForm({ request, reply, session: { user } }: OwnPage, form: Form, problems: Problems): FastifyReply {
  const { name, avatar_url, locale, timezone = user.timezone } = form
  const isSaved = problems === null && Object.hasOwn(request.query as object, 'saved') // Fastify reads every query to an object.
  return sendPage(reply, {
    title: 'Your profile',
    status: statusOf(problems),
    account: user,
    place: PROFILE_PATH,
    body: html`${isSaved && html`<p class="good" role="status">Your profile is saved.</p>`}
<form method="post" action="${PROFILE_PATH}">
<div class="field"><strong>E-mail address</strong>
<p>${user.email} ${confirmation(user.email_verified_at !== null)}</p></div>
${field({ label: 'Name', name: 'name', value: name, autocomplete: 'name', hint: 'Your teams see it beside what you do.', problems })}
${field({ label: 'Address of your picture', name: 'avatar_url', type: 'url', value: avatar_url, autocomplete: 'photo', isOptional: true, hint: 'A link to an image on the web, such as https://example.com/ada.png. Leave it empty for none.', problems })}
${field({ label: 'Language', name: 'locale', value: locale, autocomplete: 'language', suggestions: languageNames, hint: 'Choose one of the list, or type a tag such as de-AT.', problems })}
${selectField({ label: 'Time zone', name: 'timezone', value: timezone, choices: zones, hint: 'Daily mails go at eight in the morning there.', problems })}
<div class="actions"><button>Save</button></div>
</form>`,
  })
}

function confirmation(isConfirmed: boolean): Html {
  return isConfirmed
    ? html`<span class="tag good">Confirmed</span>`
    : html`<span class="tag warn">Not confirmed</span> <a href="${PASSWORD_RESET_PATH}">Request a link</a>`
}
