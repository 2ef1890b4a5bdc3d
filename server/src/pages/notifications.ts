import { contracts, type NotificationFrequency, type NotificationKind, notificationKinds } from '@earshot/contracts'
import { chooseNotifications, listNotifications, type UserWithTeams } from '@earshot/db'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { compileInput } from '../http/input.ts'
import { type Problems, problemsOf, selectField, statusOf } from './fields.ts'
import { type Form, formOf } from './form.ts'
import { type Html, html } from './html.ts'
import { sendPage } from './layout.ts'
import { type OwnPage, ownPage } from './own-page.ts'
import type { PageOptions } from './page-request.ts'
import { NOTIFICATIONS_PATH, PROFILE_PATH } from './paths.ts'

const labels: Record<NotificationKind, string> = { pending: 'Submissions that wait for a decision', low_nps: 'Low NPS scores' }
const frequencies: Record<NotificationFrequency, string> = { instant: 'Within minutes', daily: 'Once a day', off: 'Never' }
const choices = new Map<string, string>(Object.entries(frequencies))

const readInput = compileInput(contracts.me.notifications.update.input, new Set(['team_id']))

type UserTeam = UserWithTeams['teams'][number]

/** A form that was sent, with its problems. */
interface Sent {
  form: Form
  problems: Problems
}

/** The page to choose when mails of each team come. */
export function registerNotifications(scope: FastifyInstance, options: PageOptions): void {
  scope.get(
    NOTIFICATIONS_PATH,
    ownPage(options, async (page) => sendForms(page, options, null)),
  )

  scope.post(
    NOTIFICATIONS_PATH,
    ownPage(options, async (page) => {
      const form = formOf(page.request)
      try {
        const { team_id: id, ...choice } = readInput(form)
        await chooseNotifications(options.database, page.session.actor.userId, id, choice)
        return page.reply.redirect(`${NOTIFICATIONS_PATH}?${new URLSearchParams({ saved: id })}`, 303)
      } catch (error) {
        return sendForms(page, options, { form, problems: problemsOf(error) })
      }
    }),
  )
}

async function sendForms({ request, reply, session: { user } }: OwnPage, options: PageOptions, sent: Sent | null): Promise<FastifyReply> {
  const { saved } = request.query as { saved?: unknown }
  const chosen = new Map((await listNotifications(options.database, user.id)).map(({ team_id, ...choice }) => [team_id, choice]))
  const savedTeam = user.teams.find(({ id }) => id === saved)
  return sendPage(reply, {
    title: 'Notifications',
    status: statusOf(sent?.problems ?? null),
    account: user,
    place: NOTIFICATIONS_PATH,
    body: html`${sent === null && savedTeam !== undefined && html`<p class="good" role="status">Your choice for ${savedTeam.name} is saved.</p>`}
<p>Mails go to ${user.email}, and only when there is something new. Daily mails go at eight in the morning, in <a href="${PROFILE_PATH}">your time zone</a>: ${user.timezone.replaceAll('_', ' ')}.</p>
${user.teams.length === 0 && html`<p class="soft">You are not on a team yet.</p>`}
${user.teams.map((team) => teamForm(team, chosen.get(team.id) ?? {}, sent?.form.team_id === team.id ? sent : null))}`,
  })
}

/** Viewers get no mails, so there is nothing to choose. */
function teamForm({ id, name, role }: UserTeam, chosen: Partial<Record<NotificationKind, string>>, sent: Sent | null): Html {
  if (role === 'viewer')
    return html`<section><h2><bdi>${name}</bdi></h2><p class="soft">You are a viewer of this team. Viewers get no mails.</p></section>\n`
  const fields = notificationKinds.map((kind) =>
    selectField({
      ...{ label: labels[kind], name: kind, id: `${kind}-${id}`, choices },
      ...{ value: sent?.form[kind] ?? chosen[kind] ?? 'daily', problems: sent?.problems ?? null },
    }),
  )
  return html`<form method="post" action="${NOTIFICATIONS_PATH}" aria-labelledby="team-${id}">
<h2 id="team-${id}"><bdi>${name}</bdi></h2>
<input type="hidden" name="team_id" value="${id}">
<div class="pair">${fields}</div>
<div class="actions"><button aria-label="Save for ${name}">Save</button></div>
</form>
`
}
