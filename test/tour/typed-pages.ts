import { readFileSync } from 'node:fs'

/** The pages after the README's tour, in the order in which they are typed into the same shell. */
const PAGES = ['docs/surfaces.md', 'docs/signing-in.md']

/** What a reader types in one step, and what it prints. */
interface Step {
  title: string
  commands: string
  /** Lines as printed; `…` stands for any text, and for any lines where it is the whole line. */
  printed: string[]
}

export interface Tour {
  /** The command that starts the service, without the installation before it. */
  start: string
  /** The steps of the README's tour, then those of the pages that continue it. */
  steps: Step[]
}

const FENCE = /^```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm

/** Reads the commands of README.md and the pages. `localize` replaces the printed addresses with those of this run. */
export function readTour(localize: (text: string) => string): Tour {
  const readme = read('README.md')
  const start = /^npm install && (npm start)$/m.exec(readme)?.[1]
  if (start === undefined) throw new Error('README.md has no start command')
  const steps = stepsOf('README.md', localize(sectionOf(readme, 'A tour')), /^(?=\*\*\d+\. )/m)
  const others = PAGES.flatMap((page) => stepsOf(page, localize(read(page)), /^(?=## )/m))
  return { start, steps: [...steps, ...others] }
}

function read(page: string): string {
  return readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
}

function sectionOf(page: string, title: string): string {
  const text = new RegExp(`^## ${title}$(?<text>[\\s\\S]*?)^## `, 'm').exec(page)?.groups?.text
  if (text === undefined) throw new Error(`There is no section "${title}"`)
  return text
}

function stepsOf(page: string, text: string, separator: RegExp): Step[] {
  return text.split(separator).map((part) => readStep(page, part))
}

function readStep(page: string, text: string): Step {
  const blocks = [...text.matchAll(FENCE)].map(({ groups }) => ({ language: groups?.language, text: groups?.text ?? '' }))
  const textOf = (language: string) =>
    blocks
      .filter((block) => block.language === language)
      .map((block) => block.text)
      .join('')
  const title = /^(?:## |\*\*)(.+?)[.,]?(?:\*\*|$)/m.exec(text.startsWith('#') || text.startsWith('**') ? text : '')?.[1]
  return { title: `${page}: ${title ?? 'Set up'}`, commands: textOf('sh'), printed: textOf('text').split('\n').filter(Boolean) }
}
