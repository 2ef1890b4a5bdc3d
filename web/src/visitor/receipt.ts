import { byId, partOf } from './elements.ts'
import { tellParent } from './frame.ts'

/** What was sent, as its author sees it. */
export interface SentWords {
  name: string
  body: string
  stars: number
  place: string
  isPublic: boolean
  /** Of a video: shown instead of its first picture. */
  videoText: string | null
}

/** Replaces the form by the receipt, of which the page has a blank. */
export function showReceipt(words: SentWords, revokeToken: string | null, texts: { copied: string; copy: string }): void {
  const blank = byId('receipt', HTMLTemplateElement)
  const copy = document.importNode(blank.content, true)
  const write = (name: string, text: string) => {
    const part = partOf(copy, name)
    if (part) part.textContent = text
  }
  write('name', words.name)
  write('author', words.name)
  write('body', words.body)
  write('stars', '★'.repeat(words.stars))
  write('initial', [...words.name][0] ?? '')
  write('place', words.place)
  if (words.videoText !== null && words.body === '') write('body', words.videoText)
  if (words.stars === 0) partOf(copy, 'stars')?.remove()
  for (const name of words.isPublic ? ['private'] : ['public', 'preview', 'keep']) partOf(copy, name)?.remove()
  partOf(copy, revokeToken === null ? 'keep' : 'repeated')?.remove()
  if (revokeToken !== null && words.isPublic) offerLink(copy, revokeToken, texts)
  byId('main', HTMLElement).replaceChildren(copy)
  document.title = byId('thanks', HTMLElement).querySelector('h1')?.textContent ?? document.title
  byId('thanks', HTMLElement).focus()
  scrollTo({ top: 0 })
  tellParent({ type: 'earshot:sent' })
}

function offerLink(root: ParentNode, token: string, texts: { copied: string; copy: string }): void {
  const link = partOf(root, 'link')
  const button = partOf(root, 'copy')
  if (!(link instanceof HTMLAnchorElement) || !(button instanceof HTMLButtonElement)) return
  const address = new URL(link.href, location.href)
  address.searchParams.set('token', token)
  link.href = address.href
  // Only secure pages may write to the clipboard.
  if (!navigator.clipboard) return
  button.hidden = false
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(link.href).then(
      () => {
        button.textContent = texts.copied
        setTimeout(() => (button.textContent = texts.copy), 3_000)
      },
      // In a frame that may not: the link itself can be copied.
      () => (button.hidden = true),
    )
  })
}
