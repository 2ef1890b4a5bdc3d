import type { AppRouter } from '@earshot/contracts/trpc'
import { createTRPCClient, httpLink, type TRPCClientError } from '@trpc/client'

const { EARSHOT_URL = 'http://localhost:8000', EARSHOT_TOKEN = '' } = process.env
const [team_id = '', project_id = '', submission_id = ''] = process.argv.slice(2)
const earshot = createTRPCClient<AppRouter>({
  links: [httpLink({ url: `${EARSHOT_URL}/trpc`, headers: { authorization: `Bearer ${EARSHOT_TOKEN}` } })],
})
const approved = await earshot.submissions.approve.mutate({ team_id, project_id, submission_id })
console.log('tRPC: approve', approved.state)
const refusal = await earshot.submissions.reject
  .mutate({ team_id, project_id, submission_id })
  .catch((error: TRPCClientError<AppRouter>) => error)
if ('data' in refusal) console.log('tRPC: reject', refusal.data?.code, refusal.data?.current_state)
