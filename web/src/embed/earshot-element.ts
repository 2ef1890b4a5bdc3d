import styles from './embed.css?inline'
import { FeedbackError } from './feedback.ts'

let sheet: CSSStyleSheet | undefined

/** What all elements share: a shadow root with styles that a strict page allows, and one update for several changes. */
export abstract class EarshotElement extends HTMLElement {
  protected readonly root = this.attachShadow({ mode: 'open' })
  #turn = 0

  /** Shows the element as its attributes say now. `isOld` tells whether they have changed again meanwhile. */
  protected abstract update(isOld: () => boolean): Promise<void>

  connectedCallback(): void {
    if (!sheet) {
      sheet = new CSSStyleSheet()
      sheet.replaceSync(styles)
    }
    this.root.adoptedStyleSheets = [sheet]
    this.attributeChangedCallback()
  }

  /** Frameworks set several attributes one after another. */
  attributeChangedCallback(): void {
    this.#turn += 1
    const turn = this.#turn
    const isOld = () => turn !== this.#turn || !this.isConnected
    queueMicrotask(() => {
      if (!isOld()) void this.update(isOld).catch((error) => isOld() || this.fail(error))
    })
  }

  protected tell(type: string, init: CustomEventInit = {}): void {
    this.dispatchEvent(new CustomEvent(type, init))
  }

  /** Tells the page what happened, and nobody else: the event does not bubble. */
  protected fail(error: unknown): void {
    const { status, message: code } = error instanceof FeedbackError ? error : new FeedbackError(0, 'failed')
    this.tell('error', { detail: { status, code } })
  }
}
