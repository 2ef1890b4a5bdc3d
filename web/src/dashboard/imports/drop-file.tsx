import { sizes } from '@earshot/contracts/constants'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type DragEvent, useId, useRef, useState } from 'react'
import { useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { Icon } from '../ui/icon.tsx'
import { noteImportChanged } from './imports-query.ts'
import { sendFile } from './send-file.ts'

const GIGABYTE = 1_000_000_000

/** Takes a file, by dropping it or by choosing it, and leads to what it would bring. Nothing is stored yet. */
export function DropFile() {
  const ref = useProjectRef()
  const place = { team: useTeam().slug, project: useProject().slug }
  const navigate = useNavigate()
  const inputId = useId()
  const input = useRef<HTMLInputElement>(null)
  const abort = useRef<AbortController | null>(null)
  const [isOver, setIsOver] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const send = useMutation({
    mutationFn: (file: File) => {
      abort.current = new AbortController()
      return sendFile({ ref, file, signal: abort.current.signal })
    },
    onSuccess: async (importId) => {
      await noteImportChanged(ref)
      await navigate({ to: '/$team/$project/imports/$import', params: { ...place, import: importId } })
    },
  })
  const take = (file: File | undefined) => {
    if (!file || send.isPending) return
    const problem = refusalOf(file)
    setRefusal(problem)
    if (problem === null) send.mutate(file)
    if (input.current) input.current.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files[0])
  }
  return (
    <div className="stack">
      <section
        className="drop"
        aria-label="File to import"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <Icon name="import" />
        {send.isPending ? (
          <>
            <p role="status">Sending {send.variables.name}…</p>
            <Button onClick={() => abort.current?.abort()}>Cancel</Button>
          </>
        ) : (
          <>
            <p>Drop a CSV file here, or choose one. You’ll see a preview before anything is imported.</p>
            <label className="sr" htmlFor={inputId}>
              File to import
            </label>
            <input
              ref={input}
              id={inputId}
              className="sr"
              tabIndex={-1}
              type="file"
              accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
              onChange={(event) => take(event.target.files?.[0])}
            />
            <Button look="primary" onClick={() => input.current?.click()}>
              Choose a file
            </Button>
          </>
        )}
        <p className="soft">
          Exports of Senja, Testimonial.to, Google, Trustpilot, Typeform, Delighted and Earshot are recognized; of any other table you say
          which column is what. Commas, semicolons or tabs, at most {sizes.importBytes / GIGABYTE} GB.
        </p>
      </section>
      {refusal !== null && <Note look="warn">{refusal}</Note>}
      {send.error && !abort.current?.signal.aborted && <ErrorNote error={send.error} />}
    </div>
  )
}

/** What the service would refuse anyway, before gigabytes are sent. */
function refusalOf({ name, size }: File): string | null {
  if (size === 0) return `${name} is empty.`
  if (size > sizes.importBytes) return `${name} is larger than ${sizes.importBytes / GIGABYTE} GB. Split it and import the parts.`
  if (/\.(xlsx?|numbers|ods|json|pdf|zip)$/i.test(name))
    return `${name} is not a CSV file. Open it in a spreadsheet or the other service, export it as CSV, and import that.`
  return null
}
