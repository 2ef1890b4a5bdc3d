import { drawing, make, said } from './dom.ts'
import type { Item, Video } from './feedback.ts'
import type { View } from './feedback-element.ts'
import { fill, renewing } from './links.ts'
import styles from './player.css?inline'

const CROSS = 'M6 6l12 12M18 6L6 18'
const CLOSE: Record<string, string> = {
  en: 'Close',
  de: 'Schließen',
  fr: 'Fermer',
  es: 'Cerrar',
  it: 'Chiudi',
  pt: 'Fechar',
  nl: 'Sluiten',
  pl: 'Zamknij',
  ja: '閉じる',
  ar: 'إغلاق',
}

let sheet: CSSStyleSheet | undefined

/** Plays the video of an item above the page that has the card. Escape, the button and a click beside it close it. */
export function play(card: Element, item: Item, video: Video, view: View): void {
  const frame = card.closest('.earshot')
  const root = card.getRootNode()
  // Pressed twice.
  if (!frame || !(root instanceof ShadowRoot) || root.querySelector('dialog')) return
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
  const dialog = dialogOf(item, video, view)
  frame.append(dialog)
  dialog.showModal()
  dialog.querySelector('video')?.focus()
}

function dialogOf(item: Item, video: Video, { language, readAgain }: View): HTMLDialogElement {
  const { name, title, company } = item.author
  const about = [title, company].filter(Boolean).join(', ')
  const player = make('video', 'player', { controls: true, autoplay: true, playsInline: true, ariaLabel: name })
  renewing(player, video, () => readAgain(item.id), fill)
  const close = make('button', 'close', { type: 'button', ariaLabel: CLOSE[language] ?? 'Close' }, drawing(24, CROSS))
  const dialog = make(
    'dialog',
    'lightbox',
    { ariaLabel: name },
    close,
    player,
    make('p', 'who', {}, said('b', 'name', name), about && said('span', 'about', about)),
  )
  dialog.style.setProperty('--ratio', String(video.width / video.height || 16 / 9))
  close.onclick = () => dialog.close()
  // The dialog itself is hit beside what it holds: its backdrop.
  dialog.onclick = ({ target, clientX, clientY }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect()
    if (target === dialog && (clientX < left || clientX > right || clientY < top || clientY > bottom)) dialog.close()
  }
  dialog.onclose = () => {
    player.pause()
    dialog.remove()
  }
  return dialog
}
