import { createElement, Fragment, useState } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import './json.css'

const FOLDED_LINES = 24
const KEY = /^(\s*)("(?:[^"\\]|\\.)*")(: .*)$/s

/** A value as JSON over several lines. A long one is folded. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock code={JSON.stringify(value, null, 2) ?? 'null'} label={label} isJson />
}

interface CodeBlockProps {
  code: string
  /** Read out: what this text is. */
  label: string
  isJson?: boolean
  foldedLines?: number
}

/** A text of several lines in a fixed width, with a button that copies it. A long one is folded. */
export function CodeBlock({ code, label, isJson = false, foldedLines = FOLDED_LINES }: CodeBlockProps) {
  const [isOpen, setIsOpen] = useState(false)
  const lines = code.split('\n')
  const isLong = lines.length > foldedLines
  const shown = isLong && !isOpen ? lines.slice(0, foldedLines) : lines
  return (
    <figure className="code-block" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <pre tabIndex={0} dir="ltr">
        <code>{isJson ? <JsonLines lines={shown} /> : shown.join('\n')}</code>
      </pre>
      <footer>
        {isLong ? (
          <Button look="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Show less' : `Show all ${lines.length} lines`}
          </Button>
        ) : (
          <span />
        )}
        <CopyButton text={code} />
      </footer>
    </figure>
  )
}

/** The names of fields stand out. */
function JsonLines({ lines }: { lines: readonly string[] }) {
  const parts = lines.flatMap((line) => {
    const [, space = '', key, rest = ''] = KEY.exec(line) ?? []
    return key === undefined ? [`${line}\n`] : [space, createElement('b', null, key), `${rest}\n`]
  })
  return createElement(Fragment, null, ...parts)
}
