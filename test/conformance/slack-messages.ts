import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderChatBody } from '../../jobs/src/sending/chat/render.ts'
import examples from '../../server/src/webhooks/event-examples.json' with { type: 'json' }
import { run } from './command.ts'
import { PythonError, preparePython } from './python.ts'

const CHECK_MESSAGES = fileURLToPath(new URL('./slack_messages.py', import.meta.url))

/** Slack's own SDK for Python, which knows the limits of blocks, judges the messages of all events. Resolves to the problem, or null. */
export async function checkSlackMessages(): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-slack-'))
  try {
    const path = join(folder, 'messages.json')
    const messages = events().map((event) => JSON.parse(renderChatBody('slack', JSON.stringify(event), 'https://feedback.example')))
    writeFileSync(path, JSON.stringify(messages))
    const { exitCode, output } = await run(join(await preparePython(), 'python'), [CHECK_MESSAGES, path])
    console.log(output.trim().split('\n').at(-1))
    return exitCode === 0 ? null : output.slice(-500)
  } catch (error) {
    if (error instanceof PythonError) return error.message
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The examples of all types, and a submission with the longest values. */
function events(): object[] {
  const { 'submission.created': created } = examples
  const long = (length: number) => '&'.repeat(length)
  const author = { name: long(200), title: long(200), company: long(200) }
  const submission = { ...created.data.submission, body: long(10_000), title: long(200), author }
  return [...Object.values(examples), { ...created, data: { submission } }]
}
