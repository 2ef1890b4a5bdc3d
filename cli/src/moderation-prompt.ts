import { printable, widthOf } from './printable.ts'
import type { PressedKey } from './screen.ts'

/** A question on the screen, with the answer so far. */
export interface Prompt {
  question: string
  answer: string
  /** Does what was asked for. Returns why it cannot, and the question stays. */
  submit: (answer: string) => string | undefined
}

/** Returns the answer after a key was pressed. */
export function typed(answer: string, { name, text }: PressedKey): string {
  if (name !== 'backspace') return answer + text
  const letters = Array.from(new Intl.Segmenter().segment(answer), ({ segment }) => segment)
  return letters.slice(0, -1).join('')
}

/** Returns the line in which a person types. Of a long answer it shows the end. */
export function lineOf(answer: string, columns: number): string {
  const [before, cursor] = ['> ', '▏']
  return `${before}${endOf(printable(answer).replace(/\s/g, ' '), columns - widthOf(before + cursor))}${cursor}`
}

function endOf(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let end = ''
  for (const { segment } of [...new Intl.Segmenter().segment(text)].reverse()) {
    if (widthOf(segment + end) >= width) break
    end = segment + end
  }
  return `…${end}`
}
