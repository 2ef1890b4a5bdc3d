import { createClient, type EarshotApiError } from '@earshot/contracts/client'

const { EARSHOT_URL = 'http://localhost:8000', EARSHOT_TOKEN = '' } = process.env
const [team_id = '', project_id = '', submission_id = ''] = process.argv.slice(2)
const earshot = createClient({ baseUrl: EARSHOT_URL, token: EARSHOT_TOKEN })
const approved = await earshot.submissions.approve({ team_id, project_id, submission_id })
console.log('client: approve', approved.state)
const refusal = await earshot.submissions.reject({ team_id, project_id, submission_id }).catch((error: EarshotApiError) => error)
if ('code' in refusal) console.log('client: reject', refusal.status, refusal.code, refusal.fields.current_state)
