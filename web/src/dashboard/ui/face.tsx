import { plainName } from './names.ts'

const HUES = 6
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Longer ones are a pile of combining marks. */
const MAX_GRAPHEME_CHARACTERS = 8

/** Initials of a person on a colour of their own. Pictures of other sites would tell them who reads. */
export function Face({ name }: { name: string }) {
  return (
    <span className="face" data-hue={(hashOf(name) % HUES) + 1} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}

function initialsOf(name: string): string {
  const words = plainName(name).split(/\s+/)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => firstOf(word ?? '')).join('')
}

function firstOf(word: string): string {
  const [first] = graphemes.segment(word.slice(0, 32))
  const text = first?.segment ?? ''
  return text.length > MAX_GRAPHEME_CHARACTERS ? text.slice(0, 1) : text.toLocaleUpperCase()
}

function hashOf(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7)
}
