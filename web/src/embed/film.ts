import { drawing, make } from './dom.ts'
import type { Item, Video } from './feedback.ts'
import type { View } from './feedback-element.ts'
import { named } from './words.ts'

const PLAY = 'M8 5.1v13.8a1 1 0 0 0 1.5.9l11-6.9a1 1 0 0 0 0-1.8l-11-6.9A1 1 0 0 0 8 5.1z'
/** A portrait is no taller than this on a wall. */
const TALLEST = 4 / 5

/** A still picture with a button that plays the video. Nothing of the video is loaded before. */
export function film({ id, author: { name } }: Item, video: Video, { words, readAgain }: View): HTMLElement {
  /** Shows the video by its links. When they have ended, which happens once, by new ones. */
  const show = (node: HTMLElement, fill: (video: Video) => void) => {
    const again = () => void readAgain(id).then((fresh) => fresh && fill(fresh), Boolean)
    node.addEventListener('error', again, { once: true })
    fill(video)
  }
  const picture = make('img', '', { alt: '', loading: 'lazy', referrerPolicy: 'no-referrer' })
  show(picture, (video) => {
    picture.src = video.poster_url
  })
  const length = clock(video.duration_ms)
  const button = make(
    'button',
    'play',
    { type: 'button', ariaLabel: `${named(words.play, name)} ${length}` },
    picture,
    make('span', 'disc', {}, drawing(24, PLAY)),
    make('span', 'clock', {}, length),
  )
  const frame = make('div', 'film', {}, button)
  frame.style.aspectRatio = String(Math.max(TALLEST, video.width / video.height) || 1)
  button.onclick = () => {
    const player = make('video', '', { controls: true, autoplay: true, playsInline: true, ariaLabel: name })
    // One voice at a time.
    player.onplay = () => {
      for (const other of frame.closest('ul')?.querySelectorAll('video') ?? []) if (other !== player) other.pause()
    }
    show(player, (video) => fill(player, video))
    frame.replaceChildren(player)
    player.focus()
  }
  return frame
}

function fill(player: HTMLVideoElement, { playback_url, poster_url, captions }: Video): void {
  // Captions of another origin need it. Without captions, a store need not allow origins.
  if (captions.length > 0) player.crossOrigin = 'anonymous'
  player.replaceChildren(
    ...captions.map(({ language, label, url }) => make('track', '', { kind: 'captions', srclang: language, label, src: url })),
  )
  player.poster = poster_url
  player.src = playback_url
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
