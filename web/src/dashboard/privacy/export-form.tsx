import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { api, type Output, queries } from '../api.ts'
import { useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { saveFile } from '../ui/download.ts'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { requestsQuery } from './privacy-query.ts'

type PersonalData = Output<typeof api.privacy.export>

const LISTS = ['submissions', 'videos', 'responses', 'invitations', 'import_rows', 'audit_entries', 'mentions'] as const
type Found = Pick<PersonalData, (typeof LISTS)[number] | 'recipients'> & { events: number }

/** Reads all that the team keeps of a person, and saves it as a file. */
export function ExportForm() {
  const team = useTeam()
  const [email, setEmail] = useState('')
  const [found, setFound] = useState(0)
  const abort = useRef<AbortController | null>(null)
  const read = useMutation({
    mutationFn: (address: string) => {
      abort.current = new AbortController()
      setFound(0)
      return readAll({ team_id: team.id, email: address }, abort.current.signal, setFound)
    },
    onSuccess: async (data) => {
      await queries.invalidateQueries({ queryKey: requestsQuery(team.id).queryKey })
      if (countOf(data) > 0) saveFile('personal-data.json', 'application/json', [JSON.stringify(data, null, 2)])
    },
  })
  const errors = fieldErrors(read.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!read.isPending) read.mutate(email.trim())
  }
  return (
    <form className="card stack" onSubmit={submit} noValidate aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <p className="soft">A file with everything the team keeps of a person. It has e-mail addresses in it: send it to that person only.</p>
      <TextField
        {...{ label: 'E-mail address', type: 'email', value: email, error: errors.get('email') }}
        autoComplete="off"
        onChange={(event) => setEmail(event.target.value)}
        required
      />
      <div className="row">
        <Button type="submit" icon="export" isBusy={read.isPending}>
          Export
        </Button>
        {read.isPending && (
          <>
            <Button look="quiet" onClick={() => abort.current?.abort()}>
              Stop
            </Button>
            <span className="soft" role="status">
              {found.toLocaleString('en')} records found so far
            </span>
          </>
        )}
      </div>
      {read.error && errors.size === 0 && !abort.current?.signal.aborted && <ErrorNote error={read.error} />}
      {read.data && <Exported data={read.data} />}
    </form>
  )
}

function Exported({ data }: { data: Found }) {
  const count = countOf(data)
  if (count === 0) return <Note>Nothing is kept of this person.</Note>
  return (
    <Note look="good">
      <p>
        <strong>{count === 1 ? '1 record is' : `${count.toLocaleString('en')} records are`} saved as a file.</strong>{' '}
        {data.mentions.length > 0 && 'Records of other people name the address: decide what of them the person may see. '}
        {data.recipients.length > 0 && `Copies went to ${data.recipients.map(({ url }) => url ?? 'a deleted endpoint').join(', ')}.`}
      </p>
    </Note>
  )
}

function countOf(data: Found): number {
  return LISTS.reduce((sum, list) => sum + data[list].length, 0)
}

/** Reads page after page. The parts of a page are of one request, whose record is the same on all pages. */
async function readAll(
  input: { team_id: string; email: string },
  signal: AbortSignal,
  onProgress: (found: number) => void,
): Promise<Found> {
  const data: Found = {
    ...{ submissions: [], videos: [], responses: [], invitations: [], import_rows: [], audit_entries: [], mentions: [] },
    ...{ recipients: [], events: 0 },
  }
  let cursor: string | null = null
  do {
    const page: PersonalData = await api.privacy.export({ ...input, ...(cursor !== null && { cursor }) }, { signal })
    data.submissions.push(...page.submissions)
    data.videos.push(...page.videos)
    data.responses.push(...page.responses)
    data.invitations.push(...page.invitations)
    data.import_rows.push(...page.import_rows)
    data.audit_entries.push(...page.audit_entries)
    data.mentions.push(...page.mentions)
    const known = new Set(data.recipients.map(({ webhook_id }) => webhook_id))
    data.recipients.push(...page.recipients.filter(({ webhook_id }) => !known.has(webhook_id)))
    data.events += page.events
    onProgress(countOf(data))
    cursor = page.next_cursor
  } while (cursor !== null)
  return data
}
