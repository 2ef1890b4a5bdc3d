import { useQuery } from '@tanstack/react-query'
import { useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { saveFile } from '../ui/download.ts'
import { Note } from '../ui/error-note.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { At } from '../ui/time.tsx'
import { type PrivacyRequest, requestQuery } from './privacy-query.ts'

const COUNTS: Record<keyof PrivacyRequest['counts'], string> = {
  submissions: 'Submissions and testimonials',
  videos: 'Videos',
  responses: 'Survey responses',
  invitations: 'Invitations',
  import_rows: 'Failed rows of imports',
  import_files: 'Files of imports',
  events: 'Events',
  deliveries: 'Deliveries not sent',
  attempts: 'Stored answers of receivers',
  audit_entries: 'Entries of the audit log',
  mails: 'Mails',
  stored_responses: 'Stored responses',
}

/** The receipt of one request: what was found or erased, and who has copies. */
export function RequestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const team = useTeam()
  const query = useQuery(requestQuery(team.id, id))
  return (
    <Dialog title={titleOf(query.data)} onClose={onClose}>
      <div className="stack">
        <Loaded query={query}>{(request) => <Receipt request={request} />}</Loaded>
      </div>
      <footer>
        {query.data && (
          <Button
            icon="export"
            onClick={() => saveFile(`privacy-request-${id}.json`, 'application/json', [JSON.stringify(query.data, null, 2)])}
          >
            Download the receipt
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  )
}

function titleOf(request: PrivacyRequest | undefined): string {
  if (!request) return 'Privacy request'
  return request.kind === 'erase' ? 'Erasure' : 'Export'
}

function Receipt({ request: { kind, state, counts, recipients, requested_by, created_at, completed_at } }: { request: PrivacyRequest }) {
  // The names of the counts are those of the record.
  const found = Object.entries(COUNTS).flatMap(([name, label]) => {
    const count = new Map<string, number>(Object.entries(counts)).get(name) ?? 0
    return count > 0 ? [{ label, count }] : []
  })
  return (
    <>
      <p className="row">
        <span className={`tag ${state === 'completed' ? 'good' : ''}`} role="status">
          {state === 'completed' ? 'Completed' : 'Running'}
        </span>
        <span className="soft">
          <At at={completed_at ?? created_at} /> by {requested_by?.name ?? 'a deleted account'}
        </span>
      </p>
      {state === 'running' && <Note>Records with the address are gone already. A job removes the rest; you can close this.</Note>}
      {found.length === 0 && <p>{kind === 'erase' ? 'Nothing was erased.' : 'Nothing was found.'}</p>}
      <dl className="receipt">
        {found.map(({ label, count }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{count.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {recipients.length > 0 && (
        <div className="recipients">
          <h3>Received copies by webhook</h3>
          <p className="soft">Ask their operators to erase them, too.</p>
          <ul>
            {recipients.map(({ webhook_id, url, deliveries }) => (
              <li key={webhook_id}>
                {url ?? 'A deleted endpoint'}: {deliveries.toLocaleString('en')}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
