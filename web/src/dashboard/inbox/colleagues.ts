import { api, isRefusal, type Member, queries, type Submission } from '../api.ts'
import { keepChanged } from '../testimonials/live-words.ts'
import { nameInText } from '../ui/names.ts'
import { toast } from '../ui/toasts.tsx'

const ALL = 100
const DECIDED = { approved: 'approved', rejected: 'rejected', pending: 'reopened' } as const

const membersQuery = (team_id: string) => ({
  queryKey: ['members', team_id, 'names'],
  queryFn: async () => (await api.members.list({ team_id, limit: ALL })).results,
})

/** Returns what to call the person who decided. */
export async function nameOf(team_id: string, user_id: string | null): Promise<string> {
  const members: Member[] = await queries.ensureQueryData(membersQuery(team_id)).catch(() => [])
  return members.find(({ user }) => user.id === user_id)?.user.name ?? 'Somebody else'
}

/** Says who decided on a submission before this person did, and how. */
export async function tellWhoWasFaster(submissions: readonly Submission[]): Promise<void> {
  const [first, ...others] = submissions
  if (!first) return
  const { team_id, project_id, id } = first
  try {
    const now = await api.submissions.retrieve({ team_id, project_id, submission_id: id })
    keepChanged(project_id, now)
    const { state, moderation, author } = now
    const who = await nameOf(team_id, moderation.by)
    const more = others.length === 0 ? '' : ` The same happened to ${others.length} more.`
    toast({
      look: 'bad',
      text: `${nameInText(who)} ${DECIDED[state]} ${nameInText(author.name)}’s words before you. Your decision changed nothing.${more}`,
    })
  } catch (error) {
    const text = isRefusal(error, 'not_found')
      ? `${nameInText(first.author.name)}’s words are not there any more. Your decision changed nothing.`
      : `Somebody else decided on ${nameInText(first.author.name)}’s words before you. Your decision changed nothing.`
    toast({ look: 'bad', text })
  }
}
