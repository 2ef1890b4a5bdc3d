import { useState } from 'react'
import { CodeLine } from '../ui/copy.tsx'
import { Section } from '../ui/page.tsx'
import type { Widget } from './fields.ts'

const WAYS = [
  { way: 'html', text: 'HTML' },
  { way: 'react', text: 'React' },
  { way: 'link', text: 'Without script' },
] as const
const HINTS = {
  html: 'Paste it into your page where the widget should stand. The script is needed once a page, also for several widgets.',
  react: 'Use this component in your app. It loads the script once.',
  link: 'The address shows the widget as a page of its own: link to it, or put it into a frame.',
} as const

/** The lines to paste into a website. */
export function EmbedLines({ widget: { id, layout } }: { widget: Widget }) {
  const [chosen, setChosen] = useState<(typeof WAYS)[number]['way']>('html')
  const base = document.querySelector<HTMLMetaElement>('meta[name="earshot-base-url"]')?.content ?? location.origin
  const tag = layout === 'badge' ? 'earshot-badge' : 'earshot-wall'
  const codes = {
    html: [`<script src="${base}/embed.js" async></script>\n<${tag} widget="${id}"></${tag}>`],
    react: [reactCode(base, tag, id)],
    link: [
      `${base}/w/${id}`,
      `<iframe src="${base}/w/${id}" title="What customers say" width="100%" height="600" loading="lazy"></iframe>`,
    ],
  }
  return (
    <Section title="Put it on your website">
      <fieldset className="row" aria-label="Way">
        {WAYS.map(({ way, text }) => (
          <button key={way} type="button" className="btn plain" aria-pressed={way === chosen} onClick={() => setChosen(way)}>
            {text}
          </button>
        ))}
      </fieldset>
      <div className="stack embed-lines">
        <p className="lead">{HINTS[chosen]}</p>
        {codes[chosen].map((code) => (
          <CodeLine key={code} code={code} />
        ))}
      </div>
    </Section>
  )
}

function reactCode(base: string, tag: string, id: string): string {
  return `import { useEffect } from 'react'

export function CustomerWords() {
  useEffect(() => {
    if (document.querySelector('script[src="${base}/embed.js"]')) return
    const script = document.createElement('script')
    script.src = '${base}/embed.js'
    script.async = true
    document.head.append(script)
  }, [])
  return <${tag} widget="${id}" />
}`
}
