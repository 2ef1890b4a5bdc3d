import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Child extends AsyncDisposable {
  pid: number
  /** Sends one message and returns the reply. */
  call: <Reply>(message: unknown) => Promise<Reply>
}

/** Starts a script of the bench in its own process, so that its processor time is measured separately. */
export async function startChild(script: URL): Promise<Child> {
  const child = fork(script, { stdio: 'inherit' })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    call: async (message) => {
      child.send(message as object)
      const [reply] = await Promise.race([
        once(child, 'message'),
        exited.then(() => Promise.reject(new Error(`${script.pathname} ended early.`))),
      ])
      return reply
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await exited
    },
  }
}

/** Replies to each message of the parent process until it disconnects, then calls `close`. */
export function handleRequests<Message>(
  handle: (message: Message) => Promise<unknown>,
  close: () => Promise<unknown> = async () => {},
): void {
  process.on('message', async (message: Message) => process.send?.(await handle(message)))
  process.once('disconnect', () => void close())
}
