import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { languageName } from '../languages.ts'
import type { Draft } from './draft.ts'
import { PreviewFrame, type ShownQuestion } from './preview-frame.tsx'
import { inLanguage } from './texts.ts'

interface PreviewProps {
  draft: Draft
  openKey: string | undefined
  language: string | undefined
  onLanguage: (language: string | undefined) => void
  onOpen: (key: string | undefined) => void
}

/** What respondents see, with conditions that work. It shows the question that is edited. */
export function Preview({ draft, openKey, language, onLanguage, onOpen }: PreviewProps) {
  const shownLanguage = language !== undefined && language in draft.translations ? language : draft.language
  const restart = useRef<(() => void) | null>(null)
  const [isSkipped, setIsSkipped] = useState(false)
  const onShown = (shown: ShownQuestion) => {
    setIsSkipped(shown.isSkipped)
    const key = draft.questions.find(({ ref }) => ref === shown.ref)?.key
    if (shown.isMove && openKey !== undefined && key !== undefined && key !== openKey) onOpen(key)
  }
  return (
    <section aria-label="Preview" className="preview">
      <PreviewHead draft={draft} language={shownLanguage} onLanguage={onLanguage} onRestart={() => restart.current?.()} />
      {isSkipped && <p className="preview-hidden">The answers so far skip this question.</p>}
      {draft.questions.length === 0 ? (
        <p className="phone preview-empty">Your questions appear here.</p>
      ) : (
        // Another language is another page: loading it in the same frame would be a step of the browser's history.
        <PreviewFrame
          key={shownLanguage}
          draft={inLanguage(draft, shownLanguage)}
          language={shownLanguage}
          openKey={openKey}
          restart={restart}
          onShown={onShown}
        />
      )}
    </section>
  )
}

interface PreviewHeadProps extends Pick<PreviewProps, 'draft' | 'onLanguage'> {
  language: string
  onRestart: () => void
}

function PreviewHead({ draft, language, onLanguage, onRestart }: PreviewHeadProps) {
  const languages = [draft.language, ...Object.keys(draft.translations)]
  return (
    <header>
      <h2>Preview</h2>
      {languages.length > 1 && (
        <select
          aria-label="Language of the preview"
          value={language}
          onChange={(event) => onLanguage(event.target.value === draft.language ? undefined : event.target.value)}
        >
          {languages.map((tag) => (
            <option key={tag} value={tag}>
              {languageName(tag)}
            </option>
          ))}
        </select>
      )}
      <Button look="quiet" icon="refresh" onClick={onRestart}>
        Start again
      </Button>
    </header>
  )
}
