import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { until } from '../support/until.ts'
import { BACKGROUND_LINE } from './printed-lines.ts'

/** A shell to type into. */
export interface Shell {
  /** Types the lines and waits until they have run. Returns the lines printed since the last call. */
  type: (commands: string) => Promise<string[]>
  /** Returns what programs in the background have printed since. */
  more: () => string[]
  close: () => Promise<void>
}

/** Opens a bash in the top folder, without the environment of this test run. Calls `hear` with each printed line. */
export function openShell(environment: Record<string, string>, hear: (line: string) => void): Shell {
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd: topFolder(), env: cleanEnvironment(environment), detached: true })
  const exited = new Promise((resolve) => bash.once('exit', resolve))
  let printed = ''
  let typed = 0
  bash.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  createInterface({ input: bash.stdout }).on('line', hear)
  bash.stdin.write('exec 2>&1\n')

  function take(): string[] {
    // Programs in the background print whole lines, possibly between the parts of a command's line.
    const inBackground: string[] = []
    const lines = printed
      .replaceAll(BACKGROUND_LINE, (line) => {
        inBackground.push(line.trimEnd())
        return ''
      })
      .split('\n')
    printed = lines.pop() ?? ''
    return [...inBackground, ...lines]
  }

  return {
    type: async (commands) => {
      typed += 1
      const mark = `typed ${typed}`
      bash.stdin.write(`${commands}\necho '${mark}'\n`)
      await until('the commands have run', () => printed.includes(`${mark}\n`), 60_000)
      return take().filter((line) => line !== mark)
    },
    more: take,
    close: async () => {
      bash.stdin.end()
      await exited
    },
  }
}

/** The environment of a user's terminal: the machine's own Node first, no variable of npm, the test runner or Earshot. */
export function cleanEnvironment(own: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '/', TMPDIR = '/tmp' } = process.env
  const path = PATH.split(':').filter((folder) => !folder.endsWith('node_modules/.bin') && !folder.includes('node-gyp-bin'))
  // npm's warnings about the settings of this machine are not part of the tour.
  return { PATH: path.join(':'), HOME, TMPDIR, LANG: 'C.UTF-8', npm_config_loglevel: 'error', ...COMPILE_CACHE, ...own }
}

export function topFolder(): string {
  return new URL('../..', import.meta.url).pathname
}
