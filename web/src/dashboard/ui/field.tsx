import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react'

interface FieldProps {
  label: string
  /** What to type, in a sentence. */
  hint?: ReactNode
  /** From the service: `fieldErrors(error).get('name')`. */
  error?: string | undefined
}

/** A text field with its label, hint and error. */
export function TextField({ label, hint, error, ...rest }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const ids = useFieldIds(hint, error)
  return (
    <div className="field">
      <label htmlFor={ids.field}>{label}</label>
      <input type="text" {...rest} {...ids.attributes} />
      <Below ids={ids} hint={hint} error={error} />
    </div>
  )
}

/** Several lines of text. */
export function TextArea({ label, hint, error, ...rest }: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const ids = useFieldIds(hint, error)
  return (
    <div className="field">
      <label htmlFor={ids.field}>{label}</label>
      <textarea rows={4} dir="auto" {...rest} {...ids.attributes} />
      <Below ids={ids} hint={hint} error={error} />
    </div>
  )
}

interface SelectProps extends FieldProps, SelectHTMLAttributes<HTMLSelectElement> {
  options: readonly { value: string; label: string }[]
}

/** One of some values. */
export function SelectField({ label, hint, error, options, ...rest }: SelectProps) {
  const ids = useFieldIds(hint, error)
  return (
    <div className="field">
      <label htmlFor={ids.field}>{label}</label>
      <select {...rest} {...ids.attributes}>
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Below ids={ids} hint={hint} error={error} />
    </div>
  )
}

/** A checkbox with its label at the right. */
export function CheckField({ label, hint, error, ...rest }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const ids = useFieldIds(hint, error)
  return (
    <div className="field check">
      <input type="checkbox" {...rest} {...ids.attributes} />
      <div>
        <label htmlFor={ids.field}>{label}</label>
        <Below ids={ids} hint={hint} error={error} />
      </div>
    </div>
  )
}

interface FieldIds {
  field: string
  hint: string
  error: string
  attributes: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }
}

function useFieldIds(hint: ReactNode, error: string | undefined): FieldIds {
  const field = useId()
  const ids = { hint: `${field}hint`, error: `${field}error` }
  const describedBy = [error && ids.error, hint && ids.hint].filter(Boolean).join(' ')
  return {
    ...ids,
    field,
    attributes: { id: field, 'aria-describedby': describedBy || undefined, 'aria-invalid': error === undefined ? undefined : true },
  }
}

function Below({ ids, hint, error }: { ids: FieldIds; hint: ReactNode; error: string | undefined }) {
  return (
    <>
      {error !== undefined && (
        <p className="field-error" id={ids.error}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p className="hint" id={ids.hint}>
          {hint}
        </p>
      )}
    </>
  )
}
