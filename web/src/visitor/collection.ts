import '../styles/tokens.css'
import '../styles/visitor.css'
import '../styles/visitor-form.css'
import '../styles/visitor-rating.css'
import '../styles/visitor-receipt.css'
import { countCharacters } from './character-count.ts'
import type { CollectionData } from './collection-data.ts'
import { openDraft } from './draft.ts'
import { byId, findById } from './elements.ts'
import { type Film, openFilm } from './film.ts'
import { fieldValue, openProblems, type Problems } from './form-fields.ts'
import { reportSize } from './frame.ts'
import { deleteOldRecordings } from './old-recordings.ts'
import { readPageData } from './page-data.ts'
import { type SentWords, showReceipt } from './receipt.ts'
import { type Answer, newKey, sendRequest } from './request.ts'
import { failureText, isFormToken, noteFormToken, sendPatiently } from './sending.ts'

const DRAFT_FIELDS = ['body', 'title', 'rating', 'name', 'email', 'job', 'company'] as const
const MAX_BODY = 10_000

const data = readPageData<CollectionData>()
const form = findById('form', HTMLFormElement)
reportSize()
void deleteOldRecordings()
if (form) enhance(form)

function enhance(form: HTMLFormElement): void {
  const draft = openDraft(data.key)
  const problems = openProblems(form, data.fields)
  form.noValidate = true
  noteFormToken(fieldValue(form, 'form_token'))
  countCharacters(byId('body', HTMLTextAreaElement), byId('body-left', HTMLElement), MAX_BODY, data.texts)

  const saved = draft.read()
  if (saved && isUntouched(form)) {
    restore(form, saved.values)
    byId('restored', HTMLElement).hidden = Object.values(saved.values).every((value) => value === '')
    byId('agree-again', HTMLElement).hidden = saved.values.consent !== 'yes'
  }
  const film = openFilm(data)
  byId('start-over', HTMLButtonElement).addEventListener('click', () => {
    draft.clear()
    form.reset()
    film?.remove()
    restore(form, {})
    byId('restored', HTMLElement).hidden = true
    byId('agree-again', HTMLElement).hidden = true
    byId('body', HTMLTextAreaElement).focus()
  })
  form.addEventListener('input', () => draft.save(valuesOf(form)))
  byId('agree-again', HTMLElement)
    .closest('label')
    ?.addEventListener('change', () => (byId('agree-again', HTMLElement).hidden = true))
  offerNoRating(form)

  let isSending = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    // Two clicks are one submission.
    if (isSending) return
    isSending = true
    draft.save(valuesOf(form))
    void submit(form, { problems, film: film?.isChosen() ? film : null }).then((isSent) => {
      isSending = false
      if (!isSent) return
      draft.clear()
      film?.clear()
    })
  })
}

interface Parts {
  problems: Problems
  /** Null for a text. */
  film: Film | null
}

/** Returns whether it was sent. */
async function submit(form: HTMLFormElement, { problems, film }: Parts): Promise<boolean> {
  const input = inputOf(form)
  if (!isComplete(input, { problems, film })) return false
  problems.clear()
  const answer = await send(form, input, film)
  if ('output' in answer) {
    showReceipt({ ...sentWords(form), videoText: film && data.texts.receipt.video }, answer.output.revoke_token, data.texts.receipt)
    return true
  }
  const { failure } = answer
  if (failure.code === 'upload_failed') film?.say(data.texts.recorder?.failed ?? '')
  else if (failure.code === 'validation_error' && !isFormToken(failure)) problems.show(failure.errors, failureText(failure, data))
  else problems.say(isFormToken(failure) ? data.texts.error.formToken : failureText(failure, data))
  return false
}

/** Sends a text, or a video with what is said beside it. */
async function send(form: HTMLFormElement, input: Input, film: Film | null): Promise<Answer<{ revoke_token: string | null }>> {
  const status = byId('status', HTMLElement)
  const say = (text: string) => {
    if (status.textContent !== text) status.textContent = text
  }
  const button = byId('send', HTMLButtonElement)
  form.setAttribute('aria-busy', 'true')
  button.setAttribute('aria-disabled', 'true')
  // Sent again after a lost response, it is still one submission.
  const headers = { 'idempotency-key': newKey() }
  const answer = await sendPatiently<{ revoke_token: string | null }>({
    ...data,
    say,
    renew: newToken,
    send: (form_token) => {
      if (film) return sendVideo(film, input, say)
      return sendRequest(`/api/public/v1/projects/${data.key}/submissions/`, { method: 'POST', body: { ...input, form_token }, headers })
    },
  })
  form.removeAttribute('aria-busy')
  button.removeAttribute('aria-disabled')
  say('')
  return answer
}

/** The trap and the address of the page are for texts alone. */
function sendVideo(film: Film, { source_url: _url, website: _trap, ...draft }: Input, say: (text: string) => void) {
  say(data.texts.recorder?.finishing ?? '')
  return film.submit(draft)
}

/** Says what is missing, before anything is sent. */
function isComplete({ body, author }: Input, { problems, film }: Parts): boolean {
  const missing = [...(body === '' && !film ? ['body'] : []), ...(author.name === '' ? ['author.name'] : [])]
  const needed = film && !film.hasClip() ? (data.texts.recorder?.needed ?? '') : null
  if (missing.length > 0) {
    problems.show(
      missing.map((field) => ({ field, code: 'required' })),
      data.texts.error.fields,
    )
  } else if (needed !== null) problems.say(needed)
  if (needed !== null) film?.say(needed)
  return missing.length === 0 && needed === null
}

type Input = ReturnType<typeof inputOf>

function inputOf(form: HTMLFormElement) {
  const text = (name: string) => fieldValue(form, name).trim()
  const given = (name: string) => text(name) || null
  return {
    body: text('body'),
    title: given('title'),
    rating: Number(text('rating')) || null,
    author: { name: text('name'), email: given('email'), title: given('job'), company: given('company') },
    consent: { granted: text('consent') === 'yes', text: data.consentText },
    language: data.language,
    source_url: sourceUrl(),
    website: fieldValue(form, 'website'),
  }
}

/** The page that the form is on: the one around the frame, if it says. */
function sourceUrl(): string | null {
  const url = window.parent === window ? location.origin + location.pathname : document.referrer
  return /^https?:/.test(url) ? url : null
}

function sentWords(form: HTMLFormElement): SentWords {
  const { body, rating, author, consent } = inputOf(form)
  const place = [author.title, author.company].filter((text) => text !== null).join(', ')
  return { name: author.name, body, stars: rating ?? 0, place, isPublic: consent.granted, videoText: null }
}

async function newToken(): Promise<Answer<string>> {
  const answer = await sendRequest<{ form_token: string }>(`/api/public/v1/projects/${data.key}/`, { method: 'GET' })
  return 'output' in answer ? { output: answer.output.form_token } : answer
}

/** With whether its author agreed, of which a reload only reminds: nobody agrees but by a tick. */
function valuesOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries([...DRAFT_FIELDS, 'consent'].map((name) => [name, fieldValue(form, name)]))
}

/** What the service sent back, or the browser filled in, is newer than the draft. */
function isUntouched(form: HTMLFormElement): boolean {
  return fieldValue(form, 'body') === '' && fieldValue(form, 'name') === ''
}

function restore(form: HTMLFormElement, values: Record<string, string>): void {
  for (const name of DRAFT_FIELDS) {
    const value = values[name] ?? ''
    const input = form.elements.namedItem(name)
    if (input instanceof RadioNodeList)
      for (const radio of input) if (radio instanceof HTMLInputElement) radio.checked = radio.value === value
    if (input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement) input.value = value
    if (value !== '' && ['title', 'job', 'company'].includes(name) && input instanceof HTMLElement)
      input.closest('details')?.setAttribute('open', '')
  }
  byId('body', HTMLTextAreaElement).dispatchEvent(new Event('input'))
}

/** A radio button cannot be unchosen without help. */
function offerNoRating(form: HTMLFormElement): void {
  const button = findById('remove-rating', HTMLButtonElement)
  if (!button) return
  const show = () => {
    button.hidden = fieldValue(form, 'rating') === ''
  }
  form.addEventListener('input', show)
  button.addEventListener('click', () => {
    restore(form, { ...valuesOf(form), rating: '' })
    form.dispatchEvent(new Event('input'))
    form.querySelector<HTMLInputElement>('input[name="rating"]')?.focus()
  })
  show()
}
