import { freeMemory } from './free-memory.ts'

const BLOCK_BYTES = 512 * 1_024
/** One block fills while the other one is read. */
const MAX_BLOCKS = 2

/**
 * Bytes on their way from one writer to one reader. They are gathered in a few blocks, which are used again and again: a write to a
 * disk costs the same for few bytes and for many, and memory stays small however much flows.
 */
export class BytePipe implements AsyncIterable<Uint8Array> {
  readonly #free: Buffer[] = []
  readonly #full: Buffer[] = []
  #made = 0
  #filling: Buffer | null = null
  #filled = 0
  #isEnded = false
  #failure: { cause: unknown } | null = null
  #changed = Promise.withResolvers<void>()

  /** Copies bytes. Waits while the reader is behind. Throws what `fail` was given. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let taken = 0; taken < bytes.length; ) {
      this.#filling ??= await this.#freeBlock()
      const piece = bytes.subarray(taken, taken + BLOCK_BYTES - this.#filled)
      this.#filling.set(piece, this.#filled)
      taken += piece.length
      this.#filled += piece.length
      if (this.#filled === BLOCK_BYTES) this.#pass()
    }
  }

  /** The reader comes to its end after what was written. */
  end(): void {
    this.#isEnded = true
    this.#pass()
  }

  /** Writer and reader get the error; the first one if there are several. */
  fail(cause: unknown): void {
    this.#failure ??= { cause }
    this.#notify()
  }

  /** Yields blocks. Each one is good until the next one is asked for. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#failure) throw this.#failure.cause
      const block = this.#full.shift()
      if (block) {
        yield block
        this.#free.push(block)
        this.#notify()
      } else if (this.#isEnded) return this.#free.forEach(freeMemory)
      else await this.#changed.promise
    }
  }

  async #freeBlock(): Promise<Buffer> {
    for (;;) {
      if (this.#failure) throw this.#failure.cause
      const block = this.#free.pop()
      if (block) return block
      if (this.#made < MAX_BLOCKS) {
        this.#made += 1
        return Buffer.allocUnsafeSlow(BLOCK_BYTES)
      }
      await this.#changed.promise
    }
  }

  /** Lets the reader have what is gathered. */
  #pass(): void {
    if (this.#filling && this.#filled > 0) this.#full.push(this.#filling.subarray(0, this.#filled))
    this.#filling = null
    this.#filled = 0
    this.#notify()
  }

  #notify(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
