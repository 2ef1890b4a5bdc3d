import type { Screen } from '@earshot/cli'
import { expect } from 'vitest'
import type { Team } from '../support/people.ts'
import type { TestService } from '../support/test-service.ts'
import { earshot } from './command-line.ts'

/** What is not usual of a run. */
interface Run {
  args?: readonly string[]
  token?: string
  url?: string
  columns?: number
  rows?: number
  env?: Record<string, string>
  haste?: number
}

/** Runs `earshot moderate` on a screen of the test's own. */
export function moderate(service: Pick<TestService, 'url'>, team: Pick<Team, 'id' | 'token'>, run: Run = {}) {
  const { args = [], token = team.token, url = service.url, columns = 80, rows = 20, env = {}, haste = 1 } = run
  let lines: readonly string[] = []
  let onKey: Parameters<Screen['onKey']>[0] = () => {}
  let onSignal: Parameters<Screen['onSignal']>[0] = () => {}
  let isOpen = false
  const interruption = new AbortController()
  const screen: Screen = {
    size: () => ({ columns, rows }),
    draw: (shown) => {
      isOpen = true
      lines = shown
    },
    onKey: (given) => {
      onKey = given
    },
    onResize: () => {},
    onSignal: (given) => {
      onSignal = given
    },
    [Symbol.dispose]: () => {
      isOpen = false
    },
  }
  const account = { EARSHOT_URL: url, EARSHOT_TOKEN: token, EARSHOT_TEAM: team.id }
  const setting = { env: { ...account, ...env }, screen, haste, interruption: interruption.signal }
  const ended = earshot(['moderate', ...args], setting)
  const shown = () => lines.join('\n')
  return {
    ended,
    lines: () => lines,
    shows: (text: string | RegExp) => expect.poll(shown).toMatch(text),
    hides: (text: string) => expect.poll(shown).not.toMatch(text),
    closes: () => expect.poll(() => isOpen).toBe(false),
    type: (text: string) => {
      for (const letter of text) onKey({ name: letter, text: letter })
    },
    press: (name: string) => onKey({ name, text: '' }),
    paste: (text: string) => onKey({ name: 'paste', text }),
    /** A signal arrives while the screen is open. */
    signal: (name: 'SIGTERM' | 'SIGHUP') => onSignal(name),
    /** Presses Ctrl-C after the screen has closed. */
    interrupt: () => interruption.abort(),
  }
}
