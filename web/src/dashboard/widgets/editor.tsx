import './widgets.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useBlocker, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../api.ts'
import { useHasRole, useProject, useProjectRef } from '../shell/places.ts'
import { BackLink } from '../ui/back-link.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ErrorNote, Note } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { toast } from '../ui/toasts.tsx'
import { EmbedLines } from './embed-lines.tsx'
import { fieldsOf, isSame, NEW_WIDGET, type Widget, type WidgetFields } from './fields.ts'
import { WidgetSettings } from './settings.tsx'
import { WidgetPreview } from './widget-preview.tsx'

const PLACE = '/$team/$project/widgets/$widget'

/** Makes or changes a widget, with what visitors see beside. */
export function WidgetPage() {
  const { widget: id } = useParams({ from: PLACE })
  const ref = useProjectRef()
  const query = useQuery({
    queryKey: ['widget', id],
    queryFn: () => api.widgets.retrieve({ ...ref, widget_id: id }),
    enabled: id !== 'new',
  })
  if (id === 'new') return <Editor widget={null} />
  return (
    <Loaded query={query} skeleton={<Page title="Widget">{null}</Page>}>
      {(widget) => <Editor key={widget.id} widget={widget} />}
    </Loaded>
  )
}

function Editor({ widget }: { widget: Widget | null }) {
  const canWrite = useHasRole('member')
  const saved = widget === null ? NEW_WIDGET : fieldsOf(widget)
  const [fields, setFields] = useState(saved)
  const [isDeleting, setIsDeleting] = useState(false)
  const isChanged = !isSame(fields, saved)
  const save = useSave(widget, isChanged)
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!save.isPending) save.mutate({ ...fields, name: fields.name.trim() })
  }
  const remove = canWrite && widget !== null && (
    <Button icon="trash" onClick={() => setIsDeleting(true)}>
      Delete
    </Button>
  )
  return (
    <Page
      title={widget?.name ?? 'New widget'}
      back={
        <BackLink from={PLACE} to="/$team/$project/widgets">
          All widgets
        </BackLink>
      }
      actions={remove}
      width="wide"
    >
      <div className="widget-editor">
        {canWrite ? (
          <form className="stack" onSubmit={submit}>
            <WidgetSettings fields={fields} change={(changed) => setFields({ ...fields, ...changed })} errors={errors} />
            {save.error && <ErrorNote error={save.error} />}
            <div className="row widget-save">
              <Button look="primary" type="submit" isBusy={save.isPending}>
                {widget === null ? 'Create the widget' : 'Save changes'}
              </Button>
              {widget !== null && isChanged && <Button onClick={() => setFields(saved)}>Discard changes</Button>}
            </div>
          </form>
        ) : (
          <Note>You have read-only access. Members of the team can edit widgets.</Note>
        )}
        <div>
          <h2 className="widget-heading">Preview {isChanged && widget !== null && <span className="tag warn">Not saved yet</span>}</h2>
          <WidgetPreview fields={fields} savedId={isChanged || widget === null ? null : widget.id} />
          {widget && <EmbedLines widget={widget} />}
        </div>
      </div>
      {isDeleting && widget && <DeleteWidget widget={widget} onClose={() => setIsDeleting(false)} />}
    </Page>
  )
}

function useSave(widget: Widget | null, isChanged: boolean) {
  const ref = useProjectRef()
  const navigate = useNavigate({ from: PLACE })
  const save = useMutation({
    mutationFn: (fields: WidgetFields) =>
      widget === null ? api.widgets.create({ ...ref, ...fields }) : api.widgets.update({ ...ref, widget_id: widget.id, ...fields }),
    onSuccess: async (stored) => {
      queries.setQueryData(['widget', stored.id], stored)
      toast({
        look: 'good',
        text: widget === null ? 'Created. Copy the lines for your website.' : 'Saved. Websites show it with their next request.',
      })
      if (widget === null) await navigate({ params: (before) => ({ ...before, widget: stored.id }), replace: true, ignoreBlocker: true })
      await queries.invalidateQueries({ queryKey: ['widgets', ref.project_id] })
    },
  })
  // Changes are lost when the page is left.
  useBlocker({
    shouldBlockFn: () => isChanged && !confirm('Leave without saving the changes?'),
    enableBeforeUnload: isChanged,
    disabled: !isChanged,
  })
  return save
}

function DeleteWidget({ widget: { id, name }, onClose }: { widget: Widget; onClose: () => void }) {
  const ref = useProjectRef()
  const { slug } = useProject()
  const navigate = useNavigate({ from: PLACE })
  const remove = async () => {
    await api.widgets.delete({ ...ref, widget_id: id })
    await navigate({ to: '/$team/$project/widgets', params: (before) => ({ team: before.team ?? '', project: slug }), ignoreBlocker: true })
    await queries.invalidateQueries({ queryKey: ['widgets', ref.project_id] })
  }
  return (
    <Confirm title={`Delete ${name}?`} action="Delete the widget" onConfirm={remove} onClose={onClose}>
      <p>Websites that embed it stop showing it with their next request. Your testimonials are kept. This cannot be undone.</p>
    </Confirm>
  )
}
