import { type KeyboardEvent, useId, useRef, useState } from 'react'
import fastify from '../../../../examples/receivers/fastify.ts?raw'
import python from '../../../../examples/receivers/flask_hmac.py?raw'
import standardWebhooks from '../../../../examples/receivers/flask_standardwebhooks.py?raw'
import go from '../../../../examples/receivers/go/main.go?raw'
import nextRoute from '../../../../examples/receivers/next-route.ts?raw'
import node from '../../../../examples/receivers/node-http.ts?raw'
import shell from '../../../../examples/receivers/openssl.sh?raw'
import { CodeBlock } from '../ui/json.tsx'

const SAMPLES = [
  { name: 'Node', code: node, note: 'With @earshot/client, which needs only WebCrypto.' },
  { name: 'Fastify', code: fastify, note: 'With @earshot/client. It keeps the raw bytes, which are signed.' },
  { name: 'Next.js', code: nextRoute, note: 'With @earshot/client; for every framework with Request and Response.' },
  { name: 'Python', code: python, note: 'With Flask and the standard library.' },
  { name: 'Standard Webhooks', code: standardWebhooks, note: 'With the library standardwebhooks, which exists for many languages.' },
  { name: 'Go', code: go, note: 'With the standard library.' },
  { name: 'Shell', code: shell, note: 'A CGI program with openssl.' },
] as const
const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** Receivers that verify what they get: the programs of `examples/`, which tests run against the service. */
export function Samples() {
  const id = useId()
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const sample = SAMPLES[at] ?? SAMPLES[0]
  const move = (event: KeyboardEvent) => {
    const next = { Home: 0, End: SAMPLES.length - 1 }[event.key] ?? (at + (STEPS[event.key] ?? 0) + SAMPLES.length) % SAMPLES.length
    if (next === at) return
    event.preventDefault()
    setAt(next)
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus()
  }
  return (
    <div className="stack">
      <div ref={list} className="tabs" role="tablist" aria-label="Language">
        {SAMPLES.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}${index}`}
            aria-selected={index === at}
            aria-controls={`${id}panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setAt(index)}
            onKeyDown={move}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${at}`} className="stack">
        <p className="soft">{sample.note}</p>
        <CodeBlock key={sample.name} code={sample.code} label={`Receiver: ${sample.name}`} foldedLines={40} />
      </div>
    </div>
  )
}
