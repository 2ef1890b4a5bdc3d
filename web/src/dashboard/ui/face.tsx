import { type CSSProperties, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import type { Submission } from '../api.ts'
import { hueOf } from './hue.ts'
import { plainName } from './names.ts'

/** A first letter or digit that nothing joins: no mark, no joiner, no part of a Hangul syllable, no Thai or Lao vowel that belongs to it. */
const SINGLE = /^[\p{L}\p{N}](?![\p{M}\p{Cf}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f\u0e33\u0eb3])/u
/** Made for the first name that needs it: that takes a browser tens of milliseconds. */
let graphemes: Intl.Segmenter | undefined
/** Longer ones are a pile of combining marks. */
const MAX_GRAPHEME_CHARACTERS = 8
/** Pauses before a picture that is not copied yet is asked for again: most are within seconds, or not for long. */
const PAUSES_MS = [1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000]

type PicturedSubmission = Pick<Submission, 'id' | 'team_id' | 'public' | 'author'>

/**
 * Initials of a person on a colour of their own, as widgets show it, and over them the service's copy of the picture. Pictures of
 * other sites would tell them who reads.
 */
export function Face({ name, picture = null }: { name: string; picture?: string | null }) {
  const style: CSSProperties & { '--hue': number } = { '--hue': hueOf(name) }
  return (
    <span className="face" style={style} aria-hidden="true">
      {initialsOf(name)}
      {/* Another person can take the same place. */}
      {picture !== null && <Picture key={picture} address={picture} />}
    </span>
  )
}

/** The copy of a picture. While the service makes it, its address answers with one transparent pixel, and is asked again. */
function Picture({ address }: { address: string }) {
  const [isBroken, setBroken] = useState(false)
  const [retries, setRetries] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (isBroken) return null
  const look = ({ currentTarget }: SyntheticEvent<HTMLImageElement>) => {
    const pauseMs = currentTarget.naturalWidth > 1 ? undefined : PAUSES_MS[retries]
    if (pauseMs !== undefined) timer.current = setTimeout(setRetries, pauseMs, retries + 1)
  }
  // Browsers do not ask for the same address again in one document.
  const source = retries === 0 ? address : `${address}?retry=${retries}`
  const fail = () => setBroken(true)
  return <img src={source} alt="" loading="lazy" decoding="async" referrerPolicy="no-referrer" onLoad={look} onError={fail} />
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
  const [single] = SINGLE.exec(word) ?? []
  if (single !== undefined) return single.toLocaleUpperCase()
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const [first] = graphemes.segment(word.slice(0, 32))
  const text = first?.segment ?? ''
  return text.length > MAX_GRAPHEME_CHARACTERS ? text.slice(0, 1) : text.toLocaleUpperCase()
}
