import { publicKeyOf, serviceAddress } from './base.ts'
import { make } from './dom.ts'
import { EarshotElement } from './earshot-element.ts'
import { FeedbackError } from './feedback.ts'
import { wordsFor } from './words.ts'

/** A page that has not reported its height by then is not the form. */
const TIMEOUT_MS = 15_000
const TALLEST_PX = 20_000

/**
 * `<earshot-form>`: the collection page of a project, or a survey, in a frame. The frame is visible once its page reports its height;
 * until then what the page wrote between the tags is.
 */
export class EarshotForm extends EarshotElement {
  static readonly observedAttributes = ['key', 'public-key', 'survey', 'base', 'theme', 'lang']
  #frame: HTMLIFrameElement | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('message', this.#receive)
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.#receive)
    clearTimeout(this.#timer)
  }

  protected override async update(): Promise<void> {
    clearTimeout(this.#timer)
    const slot = make('slot')
    this.#frame = undefined
    this.root.replaceChildren(slot)
    const address = this.#address()
    if (!address) return
    this.#frame = this.#frameOf(address)
    this.root.replaceChildren(make('div', 'form', {}, slot, this.#frame))
  }

  #frameOf(address: string): HTMLIFrameElement {
    return make('iframe', 'frame', {
      title: this.title || this.ariaLabel || wordsFor(this).words.form,
      allow: 'camera; microphone',
      loading: 'lazy',
      referrerPolicy: 'strict-origin',
      src: address,
      onload: () => {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => this.fail(new FeedbackError(0, 'unreachable')), TIMEOUT_MS)
      },
    })
  }

  #address(): string | null {
    const survey = this.getAttribute('survey')
    const id = survey ?? publicKeyOf(this)
    if (!id) return null
    const address = serviceAddress(this, survey ? 's/*?embed' : 'c/*?embed', id)
    for (const name of ['theme', 'lang']) {
      const value = this.getAttribute(name)
      if (value) address.searchParams.set(name, value)
    }
    return address.href
  }

  /** Takes messages of its own frame alone. */
  readonly #receive = ({ source, origin, data }: MessageEvent): void => {
    const frame = this.#frame
    if (!frame || source !== frame.contentWindow || origin !== new URL(frame.src).origin) return
    if (data?.type === 'earshot:sent') this.tell('sent', { bubbles: true, composed: true })
    if (data?.type !== 'earshot:size' || !(data.height > 0)) return
    clearTimeout(this.#timer)
    frame.style.height = `${Math.min(Math.ceil(data.height), TALLEST_PX)}px`
    // The first time.
    if (frame.previousSibling) {
      frame.previousSibling.remove()
      frame.classList.add('ready')
      this.tell('load')
    }
  }
}
