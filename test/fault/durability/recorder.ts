import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('recorder-process.ts', import.meta.url))

/** One complete request. */
export interface Receipt {
  deliveryId: string
  /** The second of its attempt’s claim, from its signature. */
  signedAt: number
  sha256: string
  atMs: number
}

export interface Recorder {
  url: string
  receipts: Receipt[]
  /** Stops listening and closes connections. */
  goAway: () => Promise<void>
  comeBack: () => Promise<void>
  /** Ends it. All its requests are in `receipts` then. */
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a receiver in a process of its own that records all requests. */
export async function startRecorder(): Promise<Recorder> {
  const child = fork(SCRIPT, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const ended = once(child, 'exit')
  const receipts: Receipt[] = []
  child.on('message', (message: Receipt | string | number) => {
    if (typeof message === 'object') receipts.push(message)
    else child.emit('word', message)
  })
  const [port] = await once(child, 'word')
  const say = async (word: 'go away' | 'come back') => {
    const done = once(child, 'word')
    child.send(word)
    await done
  }
  return {
    url: `http://127.0.0.1:${port}`,
    receipts,
    goAway: () => say('go away'),
    comeBack: () => say('come back'),
    async [Symbol.asyncDispose]() {
      if (child.killed) return
      // Its response comes after all earlier reports.
      await say('go away')
      child.kill()
      await ended
    },
  }
}
