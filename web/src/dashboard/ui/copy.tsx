import { useState } from 'react'
import { Button } from './button.tsx'
import { toast } from './toasts.tsx'

const SHOWN_MS = 2_000

/** Copies a text; on plain http, where the clipboard is closed, it says how to copy it by hand. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
      setTimeout(() => setIsCopied(false), SHOWN_MS)
    } catch {
      toast({ look: 'bad', text: 'The browser does not let this page copy. Select the text and copy it yourself.' })
    }
  }
  return (
    <span className="copy" data-copied={isCopied || undefined}>
      <Button icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? 'Copied' : label}
      </Button>
    </span>
  )
}

/** A line of code with a button that copies it. */
export function CodeLine({ code, label }: { code: string; label?: string }) {
  return (
    <div className="code-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line scrolls, also by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} {...(label !== undefined && { label })} />
    </div>
  )
}
