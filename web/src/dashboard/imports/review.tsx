import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, isRefusal } from '../api.ts'
import { useHasRole, useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { Section } from '../ui/page.tsx'
import { Choices } from './choices.tsx'
import { FailedRows } from './failed-rows.tsx'
import { forgetHead, keepHead, recallHead } from './file-head.ts'
import { noteImportChanged } from './imports-query.ts'
import { MappingTable } from './mapping-table.tsx'
import { inputOf, isSameChoice, optionsOf } from './options.ts'
import { Preview } from './preview.tsx'
import { fileOf, sendFile } from './send-file.ts'
import { Totals } from './totals.tsx'
import { countOf, type Import } from './words.ts'

/** What a file would bring: its columns, the first records as they will be, and the rows that fail. Then it is imported, or not. */
export function Review({ one }: { one: Import }) {
  const checked = optionsOf(one)
  const [options, setOptions] = useState(checked)
  const [head] = useState(() => recallHead(one.id))
  const columns = one.columns ?? head?.columns ?? []
  const isChanged = !isSameChoice(options, checked)
  const isReady = one.state === 'completed' && !isChanged
  const next = useNext(one)
  const isMember = useHasRole('member')
  return (
    <div className="stack">
      {one.error && (
        <Note look="warn">
          <p>
            <strong>{one.error.code === 'no_mapping' ? 'Which column is the text?' : 'The file cannot be imported like this.'}</strong>{' '}
            {one.error.code === 'no_mapping' ? 'Choose it below, then check the file again.' : one.error.detail}
          </p>
        </Note>
      )}
      {one.error === null && <Totals one={one} />}
      {columns.length > 0 && (
        <Section title="Columns" lead="What each column of the file becomes. Author, text and date are enough.">
          <MappingTable
            {...{ one, columns, examples: head?.examples ?? {}, mapping: options.mapping }}
            onChange={(mapping) => setOptions({ ...options, mapping })}
          />
        </Section>
      )}
      <Section title="Options">
        <Choices options={options} onChange={(change) => setOptions({ ...options, ...change })} />
      </Section>
      {one.preview && one.preview.length > 0 && (
        <Section
          title="Preview"
          lead={isChanged ? 'As last checked. Check again to see your changes.' : 'The first rows, as they will arrive in the inbox.'}
        >
          <Preview rows={one.preview} />
        </Section>
      )}
      {one.totals.failed > 0 && <FailedRows one={one} />}
      {isMember && (
        <div className="decide">
          {next.error && <NextFailure error={next.error} />}
          <div className="row">
            <Button
              look={isReady ? 'plain' : 'primary'}
              isBusy={next.isPending && next.variables.isDry}
              onClick={() => next.mutate({ options, isDry: true })}
            >
              Check again
            </Button>
            {one.state === 'completed' && (
              <Button
                look={isReady ? 'primary' : 'plain'}
                isBusy={next.isPending && !next.variables.isDry}
                aria-disabled={!isReady || one.totals.created + one.totals.updated === 0}
                onClick={() => isReady && one.totals.created + one.totals.updated > 0 && next.mutate({ options, isDry: false })}
              >
                Import {countOf(one.totals.created + one.totals.updated, 'row')}
              </Button>
            )}
            <span className="soft">{hintOf(one, isChanged)}</span>
          </div>
        </div>
      )}
    </div>
  )
}

function hintOf(one: Import, isChanged: boolean): string {
  if (isChanged) return 'You changed something: check again first.'
  if (one.state !== 'completed') return ''
  return one.totals.created + one.totals.updated === 0
    ? 'There is nothing new in this file.'
    : 'Records arrive pending. You can undo the import.'
}

/** Checks the file again with other options, or imports it. The file of a check that succeeded moves on; another is sent again. */
function useNext(one: Import) {
  const ref = useProjectRef()
  const place = { team: useTeam().slug, project: useProject().slug }
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ options, isDry }: { options: ReturnType<typeof optionsOf>; isDry: boolean }) => {
      const file = fileOf(one.id)
      if (one.state === 'failed' && file) return sendFile({ ref, file, options: inputOf(options) })
      const { id } = await api.imports.create({
        ...{ ...ref, ...inputOf(options), file_name: one.file_name },
        ...{ dry_run_id: one.id, dry_run: isDry },
      })
      if (isDry) keepHead(id, recallHead(one.id))
      return id
    },
    onSuccess: async (id) => {
      forgetHead(one.id)
      await noteImportChanged(ref)
      const search = one.totals.rows > 0 ? { of: one.totals.rows } : {}
      await navigate({ to: '/$team/$project/imports/$import', params: { ...place, import: id }, search, replace: true })
    },
  })
}

/** The file belongs to the last check or import alone, and for a day. */
function NextFailure({ error }: { error: unknown }) {
  if (!isRefusal(error, 'state_conflict')) return <ErrorNote error={error} />
  return (
    <Note look="warn">
      The file of this check is not here any more: it was checked again, imported, could not be read, or is older than a day. Choose it
      again under “All imports”.
    </Note>
  )
}
