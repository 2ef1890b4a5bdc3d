import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface Child extends AsyncDisposable {
  pid: number
  /** Sends one message and waits for the answer to it. */
  ask: <Answer>(question: unknown) => Promise<Answer>
}

/** Starts a script of the bench in a process of its own, so that its processor time is not mixed with another's. */
export async function startChild(script: URL): Promise<Child> {
  const child = fork(script, { stdio: 'inherit' })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    ask: async (question) => {
      child.send(question as object)
      const [answer] = await Promise.race([
        once(child, 'message'),
        exited.then(() => Promise.reject(new Error(`${script.pathname} ended early.`))),
      ])
      return answer
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await exited
    },
  }
}

/** The other side: answers each message until the parent is gone, then lets go of what `close` names. */
export function answerParent<Question>(
  answer: (question: Question) => Promise<unknown>,
  close: () => Promise<unknown> = async () => {},
): void {
  process.on('message', async (question: Question) => process.send?.(await answer(question)))
  process.once('disconnect', () => void close())
}
