interface StorageChange {
  key: string
  newValue: string | null
}

/** Storage of a browser or a tab, in memory. */
export class MemoryStorage {
  /** Turned off, or full: each access throws. */
  isBroken = false
  readonly #texts = new Map<string, string>()
  readonly #onChange: (change: StorageChange, from: object | null) => void

  constructor(onChange: (change: StorageChange, from: object | null) => void = () => {}) {
    this.#onChange = onChange
  }

  getItem(key: string): string | null {
    return this.#open().get(key) ?? null
  }

  setItem(key: string, text: string, from: object | null = null): void {
    this.#open().set(key, text)
    this.#onChange({ key, newValue: text }, from)
  }

  removeItem(key: string, from: object | null = null): void {
    if (this.#open().delete(key)) this.#onChange({ key, newValue: null }, from)
  }

  clear(): void {
    this.#open().clear()
  }

  keys(): string[] {
    return [...this.#texts.keys()]
  }

  /** The same for one tab: a tab is not told of its own changes. */
  seenFrom(tab: object) {
    return {
      getItem: (key: string) => this.getItem(key),
      setItem: (key: string, text: string) => this.setItem(key, text, tab),
      removeItem: (key: string) => this.removeItem(key, tab),
    }
  }

  #open(): Map<string, string> {
    if (this.isBroken) throw new DOMException('The storage is not available', 'SecurityError')
    return this.#texts
  }
}
