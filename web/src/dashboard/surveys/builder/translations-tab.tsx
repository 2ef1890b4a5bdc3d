import { commonLanguages } from '@earshot/contracts/constants'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { canonicalLanguage, directionOf, languageName } from '../languages.ts'
import { titleOf } from './conditions.ts'
import type { Draft } from './draft.ts'
import { shareTranslated, type Translatable, translatableOf } from './texts.ts'
import type { DraftEditing } from './use-draft.ts'
import './translations.css'

const MAX_LANGUAGES = 50
const OTHER = 'other'

interface TranslationsTabProps {
  editing: DraftEditing
  language: string | undefined
  onLanguage: (language: string | undefined) => void
}

/** The texts of the survey in other languages, beside those of the first one. */
export function TranslationsTab({ editing, language, onLanguage }: TranslationsTabProps) {
  const { draft, change } = editing
  const languages = Object.keys(draft.translations)
  const shown = languages.find((tag) => tag === language) ?? languages[0]
  const add = (tag: string) => {
    change((before) => ({ ...before, translations: { ...before.translations, [tag]: before.translations[tag] ?? {} } }))
    onLanguage(tag)
  }
  const remove = (tag: string) => {
    change(({ translations: { [tag]: _gone, ...translations }, ...before }) => ({ ...before, translations }))
    onLanguage(undefined)
  }
  return (
    <div className="translations stack">
      <h2 className="sr">Translations</h2>
      {languages.length === 0 ? (
        <Empty icon="quote" title={`This survey is in ${languageName(draft.language)} only`}>
          Add a language. Respondents get the best match for their browser; what is not translated stays in {languageName(draft.language)}.
        </Empty>
      ) : (
        <LanguageButtons draft={draft} shown={shown} onChoose={onLanguage} />
      )}
      {languages.length < MAX_LANGUAGES && <AddLanguage taken={[draft.language, ...languages]} onAdd={add} />}
      {shown !== undefined && <Texts key={shown} editing={editing} language={shown} onRemove={() => remove(shown)} />}
    </div>
  )
}

function LanguageButtons({ draft, shown, onChoose }: { draft: Draft; shown: string | undefined; onChoose: (tag: string) => void }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form, so no fieldset
    <div className="language-buttons" role="group" aria-label="Languages">
      {Object.keys(draft.translations).map((tag) => (
        <button key={tag} type="button" aria-pressed={tag === shown} onClick={() => onChoose(tag)}>
          {languageName(tag)} <small>{Math.floor(shareTranslated(draft, tag) * 100)}%</small>
        </button>
      ))}
    </div>
  )
}

function AddLanguage({ taken, onAdd }: { taken: readonly string[]; onAdd: (tag: string) => void }) {
  const [chosen, setChosen] = useState('')
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | undefined>()
  const offered = commonLanguages.filter((tag) => !taken.includes(tag)).map((tag) => ({ value: tag, label: languageName(tag) }))
  const add = () => {
    const tag = chosen === OTHER ? canonicalLanguage(typed) : chosen
    if (!tag) setError('Use a language tag such as “de” or “pt-BR”.')
    else if (taken.includes(tag)) setError('The survey has this language already.')
    else {
      onAdd(tag)
      setChosen('')
      setTyped('')
      setError(undefined)
    }
  }
  return (
    <div className="add-language">
      <SelectField
        label="Add a language"
        value={chosen}
        onChange={(event) => {
          setError(undefined)
          setChosen(event.target.value)
        }}
        options={[{ value: '', label: 'Choose…' }, ...offered, { value: OTHER, label: 'Another language…' }]}
        error={chosen === OTHER ? undefined : error}
      />
      {chosen === OTHER && (
        <TextField
          label="Language tag"
          placeholder="sr-Latn"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && add()}
          error={error}
        />
      )}
      <Button icon="plus" onClick={add} disabled={chosen === ''}>
        Add
      </Button>
    </div>
  )
}

function Texts({ editing, language, onRemove }: { editing: DraftEditing; language: string; onRemove: () => void }) {
  const { draft, change } = editing
  const [isRemoving, setIsRemoving] = useState(false)
  const words = draft.translations[language] ?? {}
  const groups = translatableOf(draft)
  const missing = groups.flatMap(({ texts }) => texts).filter(({ read }) => !read(words).trim()).length
  const write = (text: Translatable, value: string) =>
    change((before) => ({
      ...before,
      translations: { ...before.translations, [language]: text.write(before.translations[language] ?? {}, value) },
    }))
  return (
    <section className="stack" aria-label={languageName(language)}>
      <div className="row translation-head">
        <p className="soft" role="status">
          {missing === 0 ? 'Complete.' : `${missing === 1 ? 'One text is' : `${missing} texts are`} missing.`}
        </p>
        <Button look="quiet" icon="trash" onClick={() => setIsRemoving(true)}>
          Remove {languageName(language)}
        </Button>
      </div>
      {groups.map(({ question, texts }) => (
        <div key={question?.key ?? 'survey'} className="translation-group">
          <h3 dir="auto">{question ? titleOf(question) : 'After the last question'}</h3>
          {texts.map((text) => (
            <TranslatedText
              key={text.id}
              text={text}
              value={text.read(words)}
              language={language}
              onChange={(value) => write(text, value)}
            />
          ))}
        </div>
      ))}
      {isRemoving && (
        <Confirm
          title={`Remove ${languageName(language)}?`}
          action="Remove language"
          onConfirm={async () => onRemove()}
          onClose={() => setIsRemoving(false)}
        >
          <p>
            All texts in {languageName(language)} are removed. Respondents get {languageName(draft.language)} instead.
          </p>
        </Confirm>
      )}
    </section>
  )
}

interface TranslatedTextProps {
  text: Translatable
  value: string
  language: string
  onChange: (value: string) => void
}

function TranslatedText({ text, value, language, onChange }: TranslatedTextProps) {
  const label = `${text.label} in ${languageName(language)}: ${text.base.slice(0, 80)}`
  const field = { lang: language, dir: directionOf(language), 'aria-label': label, value } as const
  return (
    <div className="translated">
      <p dir="auto">
        <small>{text.label}</small>
        {text.base}
      </p>
      <div>
        {text.isLong ? (
          <textarea rows={2} maxLength={2_000} {...field} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input type="text" maxLength={200} {...field} onChange={(event) => onChange(event.target.value)} />
        )}
        {!value.trim() && <span className="tag warn">Missing</span>}
      </div>
    </div>
  )
}
