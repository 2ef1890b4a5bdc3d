import { publicKeyOf, serviceAddress } from './base.ts'
import { make } from './dom.ts'
import { EarshotElement } from './earshot-element.ts'
import { type Answer, type Feedback, feedbackOf, readFrom, type Video } from './feedback.ts'
import { type Words, wordsFor } from './words.ts'

/** What an element needs to show feedback. */
export interface View {
  language: string
  words: Words
  /** The address of the script that plays videos. */
  player: string
  /** Reads a video again, because its links end after an hour; null when it is not shown any more. */
  readAgain: (itemId: string) => Promise<Video | null>
}

/** What an element shows, and what watches its sizes once it is in the page. */
export interface Shown {
  nodes: (Node | false | null | undefined)[]
  watch?: () => () => void
}

/** Its name, with a hash: the build replaces it. */
declare const PLAYER: string
const FILTERS = ['limit', 'tag', 'min-rating']

/**
 * What `<earshot-wall>` and `<earshot-badge>` share: they read a widget, or the items of a project, and show it. Until then, and when
 * there is nothing to show, what the page wrote between the tags is visible.
 */
export abstract class FeedbackElement extends EarshotElement {
  static readonly observedAttributes = ['widget', 'key', 'public-key', 'base', 'lang', 'layout', 'href', ...FILTERS]
  #watch: (() => () => void) | undefined
  #unwatch: (() => void) | undefined
  #isShown = false
  #data: Answer | undefined

  protected abstract show(feedback: Feedback, view: View): Shown | null

  /** The answer of the service, for pages that have it already: nothing is requested then. */
  get data(): Answer | undefined {
    return this.#data
  }
  set data(data: Answer | undefined) {
    this.#data = data
    this.attributeChangedCallback()
  }

  override connectedCallback(): void {
    // Moved in the page.
    if (this.#isShown) {
      this.#unwatch = this.#watch?.()
      return
    }
    const early = Object.getOwnPropertyDescriptor(this, 'data')
    if (early) {
      // A property that was set before the element was defined hides the setter.
      Reflect.deleteProperty(this, 'data')
      this.#data = early.value
    }
    this.#wait(true)
    super.connectedCallback()
  }

  disconnectedCallback(): void {
    this.#unwatch?.()
  }

  protected override async update(isOld: () => boolean): Promise<void> {
    const address = this.#address()
    const isProject = address && !this.#data && !this.getAttribute('widget')
    // A widget has a look of its own. Items come without one, and are shown without it if need be.
    const look = isProject ? readFrom<Pick<Feedback, 'theme'>>(new URL('..', address).href).catch(() => null) : null
    const answer = this.#data ?? (address && (await readFrom<Answer>(address)))
    const theme = (await look)?.theme
    if (!answer) this.#wait()
    else if (!isOld()) this.#render({ ...feedbackOf(answer), ...(theme && { theme }) })
  }

  protected override fail(error: unknown): void {
    this.#wait()
    super.fail(error)
  }

  /** The address of what is shown, or null while the page has not said what that is. */
  #address(): string | null {
    const widget = this.getAttribute('widget')
    const id = widget ?? publicKeyOf(this)
    if (!id) return null
    const address = serviceAddress(this, widget ? 'api/public/v1/widgets/*/' : 'api/public/v1/projects/*/items/', id)
    for (const name of FILTERS) {
      const value = this.getAttribute(name)
      if (value && !widget) address.searchParams.set(name.replace('-', '_'), value)
    }
    return address.href
  }

  /** Shows what the page wrote between the tags, and keeps the space that will be needed. */
  #wait(isLoading = false): void {
    this.#isShown = false
    this.#unwatch?.()
    const layout = this.getAttribute('layout') ?? this.localName.slice('earshot-'.length)
    this.root.replaceChildren(make('div', isLoading ? `wait ${layout}` : '', {}, make('slot')))
  }

  #render(feedback: Feedback): void {
    const readAgain = async (itemId: string) => {
      const address = this.#address()
      const { items } = address ? feedbackOf(await readFrom<Answer>(address)) : feedback
      return items.find(({ id }) => id === itemId)?.video ?? null
    }
    const shown = this.show(feedback, { ...wordsFor(this), player: serviceAddress(this, PLAYER).href, readAgain })
    this.#wait()
    if (shown) {
      const { mode = '', color } = feedback.theme ?? {}
      const frame = make('div', 'earshot')
      for (const node of shown.nodes) if (node) frame.append(node)
      frame.dataset.theme = this.getAttribute('theme') ?? mode
      if (color) frame.style.setProperty('--given', color)
      this.root.replaceChildren(frame)
      this.#isShown = true
      this.#watch = shown.watch
      this.#unwatch = shown.watch?.()
    }
    this.tell('load')
  }
}
