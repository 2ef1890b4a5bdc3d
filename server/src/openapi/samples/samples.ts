import type { SampleCall } from './call.ts'
import { commandLineSample } from './command-line.ts'
import { curlSample } from './curl.ts'
import { goSample } from './go.ts'
import { pythonSample } from './python.ts'
import { typescriptSample } from './typescript.ts'

/** A program that calls an operation, in the form that Redoc and others read from `x-codeSamples`. */
export interface CodeSample {
  /** Language for highlighting. */
  lang: string
  label: string
  source: string
}

/** Returns the samples of an operation. The command line has no visitor or account operations. */
export function codeSamples(call: SampleCall): CodeSample[] {
  const commandLine = commandLineSample(call)
  return [
    { lang: 'Shell', label: 'curl', source: curlSample(call) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptSample(call) },
    { lang: 'Python', label: 'Python', source: pythonSample(call) },
    { lang: 'Go', label: 'Go', source: goSample(call) },
    ...(commandLine === undefined ? [] : [{ lang: 'Shell', label: 'Command line', source: commandLine }]),
  ]
}
