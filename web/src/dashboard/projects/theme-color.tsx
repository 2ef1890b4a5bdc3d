import type { CSSProperties } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Stars } from '../ui/stars.tsx'

const COLOR = /^#[0-9a-f]{6}$/i
/** What the picker shows while there is no colour: Earshot's own. */
const NO_COLOR = '#3b62c4'

interface ThemeColorProps {
  color: string
  error: string | undefined
  onChange: (color: string) => void
}

/** The accent colour of the pages for visitors, with how it looks by day and by night. */
export function ThemeColor({ color, error, onChange }: ThemeColorProps) {
  const isColor = COLOR.test(color)
  return (
    <div className="theme-color">
      <TextField
        {...{ label: 'Theme colour', value: color, error }}
        hint="Optional, such as #3366ff. Where it is too light or too dark to be read, visitors see it darker or lighter."
        placeholder="#3366ff"
        spellCheck={false}
        autoCapitalize="none"
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="row">
        <input
          type="color"
          aria-label="Pick a colour"
          value={isColor ? color : NO_COLOR}
          onChange={(event) => onChange(event.target.value)}
        />
        {color !== '' && (
          <Button look="quiet" onClick={() => onChange('')}>
            Use the default
          </Button>
        )}
      </div>
      <div className="previews">
        <Preview theme="light" color={isColor ? color : null} />
        <Preview theme="dark" color={isColor ? color : null} />
      </div>
    </div>
  )
}

/** A button, a link and stars as visitors see them. It shows and does nothing else. */
function Preview({ theme, color }: { theme: 'light' | 'dark'; color: string | null }) {
  const style: CSSProperties & { '--brand'?: string } = color === null ? {} : { '--brand': color }
  return (
    <figure className="branded preview" data-theme={theme} style={style}>
      <figcaption>{theme === 'light' ? 'By day' : 'By night'}</figcaption>
      <Stars rating={5} />
      <span className="sample-button">Send</span>
      <span className="sample-link">Read more</span>
    </figure>
  )
}
