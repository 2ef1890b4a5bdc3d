import type { CollectionData } from './collection-data.ts'
import { byId, findById } from './elements.ts'
import { forgetRecording, partlyKept } from './kept.ts'
import type { Answer } from './request.ts'
import type { RecorderTexts } from './video/texts.ts'
import type { FormVideo } from './video/video.tsx'

const NOT_SENT: Answer<never> = { failure: { status: 409, code: 'upload_failed', errors: [], retryAfterMs: null } }

/** The video part of the form. Its code is loaded when a visitor wants it. */
export interface Film {
  /** Whether the visitor wants to send a video. */
  isChosen: () => boolean
  hasClip: () => boolean
  submit: (draft: object) => Promise<Answer<{ revoke_token: string | null }>>
  clear: () => void
  /** Deletes it, here and what has arrived of it, even if its code was never loaded. */
  remove: () => void
  /** Says what is wrong with the video. */
  say: (text: string) => void
}

/** Opens the video part of the form; null if the project collects none. */
export function openFilm(data: CollectionData): Film | null {
  const { recorder: texts } = data.texts
  const buttons = findById('film', HTMLElement)
  if (!buttons || !texts) return null
  const ways = findById('way', HTMLElement)
  const problem = byId('film-problem', HTMLElement)
  const panel = panelAfter(buttons)
  let video: FormVideo | null = null
  let loading: Promise<FormVideo> | undefined

  const isChosen = () => !ways || ways.querySelector<HTMLInputElement>('[value="film"]')?.checked === true
  const say = (text: string) => {
    problem.textContent = text
  }
  const show = () => {
    const isFilm = isChosen()
    buttons.hidden = !isFilm || video?.hasClip() === true || panel.childElementCount > 0
    panel.hidden = !isFilm
    nameBody(isFilm, data.texts.form)
    say('')
  }
  const load = () => {
    const options = { ...data, texts, panel, onClip: () => queueMicrotask(show), onProblem: say }
    loading ??= import('./video/video.tsx').then(({ openVideo }) => openVideo(options))
    return loading.then(
      (opened) => {
        video = opened
        return opened
      },
      () => {
        loading = undefined
        say(data.texts.error.unavailable)
        if (navigator.onLine) offerReload(problem, texts)
        return null
      },
    )
  }

  ways?.removeAttribute('hidden')
  ways?.addEventListener('change', show)
  byId('open-camera', HTMLButtonElement).addEventListener('click', () => void load().then((opened) => opened?.open()))
  onFile(byId('video-file', HTMLInputElement), (chosen) => void load().then((opened) => opened?.chooseFile(chosen)))
  if (partlyKept(data.key)) {
    choose(ways, 'film')
    void load().then((opened) => opened && show())
  }
  show()
  return {
    isChosen,
    say,
    hasClip: () => video?.hasClip() === true,
    submit: async (draft) => (await load())?.submit(draft) ?? NOT_SENT,
    clear: () => video?.clear(),
    remove: () => {
      forgetRecording(data.key)
      video?.remove()
      choose(ways, 'write')
      show()
    },
  }
}

/** The place of the video, which takes turns with the buttons. Whoever was at one goes on at the other when it is shown instead. */
function panelAfter(buttons: HTMLElement): HTMLElement {
  const panel = document.createElement('div')
  buttons.after(panel)
  let isHere = false
  let wereHidden = buttons.hidden
  addEventListener('focusin', ({ target }) => {
    isHere = target instanceof Node && (buttons.contains(target) || panel.contains(target))
  })
  const giveFocus = () => {
    if (buttons.hidden === wereHidden) return
    wereHidden = buttons.hidden
    const place = wereHidden ? panel.firstElementChild : byId('open-camera', HTMLButtonElement)
    if (!isHere || !(place instanceof HTMLElement)) return
    if (wereHidden) place.tabIndex = -1
    place.focus({ preventScroll: true })
  }
  new MutationObserver(giveFocus).observe(buttons, { attributeFilter: ['hidden'] })
  return panel
}

function choose(ways: HTMLElement | null, way: 'write' | 'film'): void {
  const choice = ways?.querySelector<HTMLInputElement>(`[value="${way}"]`)
  if (choice) choice.checked = true
}

/** Beside a video, words are an addition. */
function nameBody(isFilm: boolean, { body, bodyBeside, bodyHint }: CollectionData['texts']['form']): void {
  byId('body', HTMLTextAreaElement).placeholder = isFilm ? '' : bodyHint
  const label = byId('body-label', HTMLElement).firstElementChild
  if (label) label.textContent = isFilm ? bodyBeside : body
}

/**
 * Without a connection, the next click tries again. With one, the page is older than the build, or the browser keeps the failure.
 * What was typed is in the draft, which the page shows again.
 */
function offerReload(place: HTMLElement, texts: RecorderTexts): void {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'plain'
  button.textContent = texts.reload
  button.addEventListener('click', () => location.reload())
  place.replaceChildren(texts.outdated, ' ', button)
}

/** The same file can be chosen twice. */
function onFile(input: HTMLInputElement, use: (file: File) => void): void {
  input.addEventListener('change', () => {
    const [chosen] = input.files ?? []
    if (chosen) use(chosen)
    input.value = ''
  })
}
