import { useMemo, useState } from 'react'
import { renderSVG } from 'uqr'
import { CodeLine } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Note } from '../ui/error-note.tsx'
import { SelectField } from '../ui/field.tsx'
import { languageName } from './languages.ts'
import type { Survey } from './queries.ts'

/** The quiet zone is four modules wide (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4

/** How people come to the survey: the link, its QR code, and what the link can carry. */
export function ShareDialog({ survey, onClose }: { survey: Survey; onClose: () => void }) {
  const [language, setLanguage] = useState('')
  const address = `${location.origin}/s/${survey.id}`
  const link = language === '' ? address : `${address}?language=${encodeURIComponent(language)}`
  const code = useMemo(() => `data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: QUIET_ZONE }))}`, [link])
  const languages = [survey.language, ...Object.keys(survey.translations)]
  return (
    <Dialog title="Share the survey" onClose={onClose} size="wide">
      <div className="stack survey-share">
        {survey.status === 'closed' && (
          <Note look="warn">This survey is closed. People who open the link are told so. Reopen it to take responses.</Note>
        )}
        <div className="survey-share-link">
          <div className="stack">
            <CodeLine code={link} label="Copy link" />
            <p className="soft">
              Anybody with the link can answer. {survey.one_per_respondent && 'A person whom you name in the link answers only once. '}
              <a href={link} target="_blank" rel="noreferrer noopener">
                Open it
              </a>
            </p>
            {languages.length > 1 && (
              <SelectField
                label="Language"
                value={language}
                onChange={(event) => setLanguage(event.target.value)}
                options={[
                  { value: '', label: 'As the browser of the respondent prefers' },
                  ...languages.map((tag) => ({ value: tag, label: languageName(tag) })),
                ]}
              />
            )}
          </div>
          <a href={code} download={`survey-${survey.id}.svg`} className="survey-qr">
            <img src={code} alt="QR code of the link" width="168" height="168" />
            Save the QR code
          </a>
        </div>
        <div className="stack">
          <h3>Identify respondents and sources</h3>
          <p className="soft">
            Add fields to the link. They are stored in <code>hidden</code> of the response, and shown with it. Put nothing secret there:
            respondents see the link.
          </p>
          <CodeLine code={`${address}?plan=team&page=/pricing`} label="Copy example" />
        </div>
      </div>
      <footer />
    </Dialog>
  )
}
