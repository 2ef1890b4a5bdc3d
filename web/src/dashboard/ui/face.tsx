import { type CSSProperties, useState } from 'react'
import type { Submission } from '../api.ts'
import { hueOf } from './hue.ts'
import { plainName } from './names.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Longer ones are a pile of combining marks. */
const MAX_GRAPHEME_CHARACTERS = 8

type PicturedSubmission = Pick<Submission, 'id' | 'team_id' | 'public' | 'author'>

/**
 * Initials of a person on a colour of their own, as widgets show it, and over them the service's copy of the picture. Pictures of
 * other sites would tell them who reads.
 */
export function Face({ name, picture = null }: { name: string; picture?: string | null }) {
  // Which address was of no use: another person can take the same place.
  const [broken, setBroken] = useState<string | null>(null)
  const style: CSSProperties & { '--hue': number } = { '--hue': hueOf(name) }
  return (
    <span className="face" style={style} aria-hidden="true">
      {initialsOf(name)}
      {picture !== null && picture !== broken && (
        <img src={picture} alt="" loading="lazy" decoding="async" referrerPolicy="no-referrer" onError={() => setBroken(picture)} />
      )}
    </span>
  )
}

/** Where the copy of an author's picture is; null before the submission is public, and without a picture. */
export function pictureOf({ id, team_id, public: isPublic, author }: PicturedSubmission): string | null {
  return isPublic && author.avatar_url !== null ? `/media/v1/images/${team_id}/${id}` : null
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
