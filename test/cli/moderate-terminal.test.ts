import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { measureLateness } from '../support/lateness.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { startGate } from './gate.ts'

const COMMAND = new URL('../../cli/src/earshot.js', import.meta.url).pathname
const OPENED = '\u001b[?1049h'
const HOME = '\u001b[H'
const CLOSED = '\u001b[?2004l\u001b[?25h\u001b[?1049l'
/** Where util-linux makes a terminal. It is part of every Debian; other systems have another `script`. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

let service: TestService
let team: Team
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  team = await makeTeam(service.database)
})

const stateOf = async (submission_id: string) =>
  (await service.client(team.token).submissions.retrieve({ ...team.project, submission_id })).state

/** Runs the command on a terminal of its own. Afterwards the shell prints the exit code and the settings of the terminal. */
async function startOnTerminal(url: string) {
  const moderate = `sh -c 'echo pid=$$; exec "${process.execPath}" "${COMMAND}" moderate'`
  const shell = `trap : INT HUP; stty cols 80 rows 24; ${moderate}; echo exit=$?; stty -a; echo end`
  const account = { EARSHOT_URL: url, EARSHOT_TOKEN: team.token, EARSHOT_TEAM: team.id }
  const child = spawn('script', ['-qec', shell, '/dev/null'], { env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm', ...account } })
  const exited = once(child, 'exit')
  let output = ''
  child.stdout.on('data', (bytes) => {
    output += bytes
  })
  const shows = (text: string) => expect.poll(() => output).toContain(text)
  await shows('Saved us a week')
  expect(output).toContain(OPENED)
  const pid = Number(/pid=(\d+)/.exec(output)?.[1])
  return {
    pid,
    shows,
    /** What is drawn last contains a text. */
    showsNow: (text: string) => expect.poll(() => output.slice(output.lastIndexOf(HOME))).toContain(text),
    type: (keys: string) => child.stdin.write(keys),
    isRunning: () => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    },
    /** Returns all output. */
    ended: async () => {
      await shows('\nend')
      child.stdin.end()
      await exited
      return output
    },
    /** Closes the terminal, as its window does. */
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

test.skipIf(!hasScript).for([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s restores the terminal and sends what was decided', async ([signal, exitCode]) => {
  const { id } = await team.submit()
  await using run = await startOnTerminal(service.url)
  run.type('a')
  await run.shows('1 to send')
  process.kill(run.pid, signal)
  const after = await run.ended()
  expect(after).toContain(`${CLOSED}1 approved, 0 rejected, 0 left.\r\nexit=${exitCode}\r\n`)
  expect(after).toMatch(/ icanon .* echo /s)
  expect(await stateOf(id)).toBe('approved')
})

test.skipIf(!hasScript)('a window that is closed loses no decision', async () => {
  const { id } = await team.submit()
  const run = await startOnTerminal(service.url)
  run.type('a')
  await run.shows('1 to send')
  await run[Symbol.asyncDispose]()
  await expect.poll(() => stateOf(id)).toBe('approved')
  await expect.poll(run.isRunning).toBe(false)
})

test.skipIf(!hasScript)('a second Ctrl-C ends a process whose request hangs', async () => {
  const { id } = await team.submit()
  await using gate = await startGate(service.url, (request) => (/moderate|stream/.test(request) ? 'hang' : 'pass'))
  await using run = await startOnTerminal(gate.url)
  run.type('a\u0003')
  await run.shows(CLOSED)
  await expect.poll(() => gate.requests.some((request) => request.includes('/moderate/'))).toBe(true)
  using late = measureLateness()
  const pressedMs = performance.now()
  run.type('\u0003')
  expect(await run.ended()).toMatch(new RegExp(`not sent: approve ${id}.*exit=130`, 's'))
  expect(performance.now() - pressedMs).toBeLessThan(5_000 + 1_000 * late.seconds())
})

test.skipIf(!hasScript)('Esc leaves a question, and what is pasted is one answer', async () => {
  const { id } = await team.submit()
  await using run = await startOnTerminal(service.url)
  run.type('rnonsense')
  await run.shows('> nonsense')
  run.type('\u001b')
  await run.showsNow('q quit')
  run.type('r\u001b[200~It names\r\na person.\u001b[201~')
  await run.shows('> It names')
  run.type('\r')
  await run.shows('1 to send')
  run.type('q')
  await run.ended()
  const { moderation } = await service.client(team.token).submissions.retrieve({ ...team.project, submission_id: id })
  expect(moderation.reason).toBe('It names a person.')
})
