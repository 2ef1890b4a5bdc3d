import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api.ts'
import { useProject, useProjectRef, useTeam } from '../shell/places.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { fieldErrors } from '../ui/error-text.ts'
import { TextField } from '../ui/field.tsx'
import { noteSurvey } from './queries.ts'
import { templates } from './templates.ts'

const BLANK = { id: 'blank', name: 'Blank survey', text: 'Begin without questions.', questions: [], thanks: null }

/** Makes a survey: blank, or from a template. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const ref = useProjectRef()
  const params = { team: useTeam().slug, project: useProject().slug }
  const navigate = useNavigate()
  const [chosen, setChosen] = useState(templates[0]?.id ?? BLANK.id)
  const [name, setName] = useState<string | null>(null)
  const template = [...templates, BLANK].find(({ id }) => id === chosen) ?? BLANK
  const shownName = name ?? (template === BLANK ? '' : template.name)
  const create = useMutation({
    mutationFn: () =>
      api.surveys.create({ ...ref, name: shownName.trim(), questions: template.questions, thank_you_text: template.thanks }),
    onSuccess: (survey) => {
      noteSurvey(survey)
      return navigate({ to: '/$team/$project/surveys/$survey/edit', params: { ...params, survey: survey.id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!create.isPending) create.mutate()
  }
  const nameError = fieldErrors(create.error).get('name')
  return (
    <Dialog title="New survey" onClose={onClose} size="wide">
      <form className="stack" onSubmit={submit}>
        <fieldset className="survey-templates">
          <legend>Begin with</legend>
          {[...templates, BLANK].map(({ id, name: title, text }) => (
            <label key={id}>
              <input type="radio" name="template" value={id} checked={id === chosen} onChange={() => setChosen(id)} />
              <span>
                <strong>{title}</strong>
                <small>{text}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <TextField
          label="Name"
          hint="Your team sees it; respondents do not."
          value={shownName}
          onChange={(event) => setName(event.target.value)}
          error={nameError}
          dir="auto"
          maxLength={200}
          required
        />
        {create.error && nameError === undefined && <ErrorNote error={create.error} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Create survey
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
