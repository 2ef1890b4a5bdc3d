import type { ChildProcess } from 'node:child_process'

/** Prints what a process writes to its standard error with the output of the test, which is shown when the test fails. */
export function showErrors({ stderr }: ChildProcess): void {
  stderr?.setEncoding('utf8').on('data', (text: string) => console.error(text.trimEnd()))
}
