import { readFileSync } from 'node:fs'

/** A numbered step of the tour: its commands and their output. */
interface TourStep {
  title: string
  commands: string
  /** Lines of output; `…` matches any text and, as a whole line, any lines. */
  printed: string[]
}

export interface Tour {
  /** The command that starts the service, without the installation before it. */
  start: string
  /** Of the tour, then of what follows it in the same shell. */
  steps: TourStep[]
  signIns: TourStep[]
}

const FENCE = /^```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm

/** Reads the tour out of README.md. `here` puts this run's addresses in the place of the printed ones. */
export function readTour(here: (text: string) => string): Tour {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const start = /^npm install && (npm start)$/m.exec(readme)?.[1]
  if (start === undefined) throw new Error('README.md has no start command')
  const stepsOf = (title: string) =>
    here(sectionOf(readme, title))
      .split(/^(?=\*\*\d+\. )/m)
      .map(readStep)
  return { start, steps: stepsOf('A tour'), signIns: stepsOf('Signing in from your program') }
}

function sectionOf(readme: string, title: string): string {
  const text = new RegExp(`^## ${title}$(?<text>[\\s\\S]*?)^## `, 'm').exec(readme)?.groups?.text
  if (text === undefined) throw new Error(`README.md has no section "${title}"`)
  return text
}

function readStep(text: string): TourStep {
  const blocks = [...text.matchAll(FENCE)].map(({ groups }) => ({ language: groups?.language, text: groups?.text ?? '' }))
  const textOf = (language: string) =>
    blocks
      .filter((block) => block.language === language)
      .map((block) => block.text)
      .join('')
  return {
    title: /^\*\*(.+?)[.,]?\*\*/.exec(text)?.[1] ?? '0. Set up',
    commands: textOf('sh'),
    printed: textOf('text').split('\n').filter(Boolean),
  }
}
