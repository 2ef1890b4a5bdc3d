import type { ImportFailure } from '@earshot/contracts'

/** The file cannot be read, or not further. The message is for people and quotes no cell, at most names of columns. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
  readonly failure: ImportFailure

  constructor(failure: ImportFailure, message: string) {
    super(message)
    this.failure = failure
  }
}
