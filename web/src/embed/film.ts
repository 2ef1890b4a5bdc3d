import { drawing, make } from './dom.ts'
import type { Item, Video } from './feedback.ts'
import type { View } from './feedback-element.ts'
import { fill, renewing } from './links.ts'
import { named } from './words.ts'

const PLAY = 'M8 5.1v13.8a1 1 0 0 0 1.5.9l11-6.9a1 1 0 0 0 0-1.8l-11-6.9A1 1 0 0 0 8 5.1z'
/** A portrait is no taller than this on a wall. */
const TALLEST = 4 / 5

/** A still picture with a button that plays the video. Nothing of the video is loaded before, nor is what plays it. */
export function film(item: Item, video: Video, view: View): HTMLElement {
  const picture = make('img', '', { alt: '', loading: 'lazy', referrerPolicy: 'no-referrer' })
  renewing(
    picture,
    video,
    () => view.readAgain(item.id),
    (node, { poster_url }) => {
      node.src = poster_url
    },
  )
  const length = clock(video.duration_ms)
  const button = make(
    'button',
    'play',
    { type: 'button', ariaLabel: `${named(view.words.play, item.author.name)} ${length}` },
    picture,
    make('span', 'disc', {}, drawing(24, PLAY)),
    make('span', 'clock', {}, length),
  )
  const frame = make('div', 'film', {}, button)
  frame.style.aspectRatio = String(Math.max(TALLEST, video.width / video.height) || 1)
  button.onclick = () =>
    import(/* @vite-ignore */ view.player).then(
      ({ play }) => play(frame, item, video, view),
      // Where the policy of the page forbids it, or a new version is there, the video plays in its place.
      () => {
        const player = make('video', '', { controls: true, autoplay: true, playsInline: true, ariaLabel: item.author.name })
        renewing(player, video, () => view.readAgain(item.id), fill)
        frame.replaceChildren(player)
        player.focus()
      },
    )
  return frame
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
