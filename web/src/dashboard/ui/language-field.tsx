import { commonLanguages } from '@earshot/contracts/constants'
import { useId } from 'react'
import { languageName } from '../surveys/languages.ts'
import { TextField } from './field.tsx'

interface LanguageFieldProps {
  label: string
  /** A BCP 47 tag, as it is typed. */
  value: string
  /** What the language is for. */
  hint: string
  error?: string | undefined
  onChange: (tag: string) => void
}

/** A language: common ones are offered by name, and every other tag can be typed. The hint says which language a tag means. */
export function LanguageField({ label, value, hint, error, onChange }: LanguageFieldProps) {
  const id = useId()
  const name = languageName(value.trim())
  return (
    <>
      <TextField
        {...{ label, value, error, list: id, required: true, spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' }}
        hint={name === value.trim() ? `${hint} Choose one, or type a tag such as de-AT.` : `${name}. ${hint}`}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {commonLanguages.map((tag) => (
          <option key={tag} value={tag} label={languageName(tag)} />
        ))}
      </datalist>
    </>
  )
}
