import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { run, TOP } from './command.ts'
import { installDebian } from './debian.ts'

/** Lines before TAB, and what they become. */
type Lines = readonly (readonly [typed: string, completed: string])[]

interface Place {
  url: string
  token: string
  project: { team_id: string; project_id: string }
}

/** Presses TAB in bash, zsh and fish, with the scripts of `earshot completion`. Resolves to the problems, or null. */
export async function checkShells({ url, token, project: { team_id, project_id } }: Place): Promise<string | null> {
  const areThere = async () => (await run('zsh', ['--version'])).exitCode === 0 && (await run('fish', ['--version'])).exitCode === 0
  if (!(await areThere())) await installDebian('zsh', 'fish')
  if (!(await areThere())) return 'zsh and fish are needed (on Debian: apt install zsh fish)'
  const folder = mkdtempSync(join(tmpdir(), 'earshot-shells-'))
  const environment = { EARSHOT_URL: url, EARSHOT_TOKEN: token, EARSHOT_TEAM: team_id, PATH: pathWithEarshot(), HOME: folder }
  const lines: Lines = [
    ['earshot subm', 'earshot submissions'],
    ['earshot webhooks deliveries li', 'earshot webhooks deliveries list'],
    ['earshot submissions list --sta', 'earshot submissions list --state'],
    ['earshot submissions list --state pen', 'earshot submissions list --state pending'],
    ['earshot submissions list --state=pen', 'earshot submissions list --state=pending'],
    [`earshot projects retrieve ${project_id.slice(0, -2)}`, `earshot projects retrieve ${project_id}`],
    [`earshot submissions list --project ${project_id.slice(0, -2)}`, `earshot submissions list --project ${project_id}`],
    [`earshot submissions list --project=${project_id.slice(0, -2)}`, `earshot submissions list --project=${project_id}`],
    ['earshot completion zs', 'earshot completion zsh'],
    ['earshot open tok', 'earshot open tokens'],
    ['earshot api GE', 'earshot api GET'],
  ]
  try {
    const problems: string[] = []
    for (const [shell, press] of Object.entries({ bash: pressInBash, zsh: pressInZsh, fish: pressInFish })) {
      const script = await run('earshot', ['completion', shell], { environment })
      writeFileSync(join(folder, '_earshot'), script.output)
      const completed = await press(
        lines.map(([typed]) => typed),
        { folder, environment },
      )
      const wrong = lines.flatMap(([typed, wanted], index) => (completed[index] === wanted ? [] : [`${typed} became ${completed[index]}`]))
      problems.push(...wrong.map((problem) => `${shell}: ${problem}`))
    }
    return problems.length === 0 ? null : problems.join('; ')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Shell {
  folder: string
  environment: Record<string, string>
}

/** readline needs a terminal: `script` is one. Each line goes to a file instead of being run. */
function pressInBash(typed: readonly string[], shell: Shell): Promise<string[]> {
  const rc = [
    `source ${join(shell.folder, '_earshot')}`,
    'show() { printf "%s\\n" "$READLINE_LINE" >> lines; READLINE_LINE=; READLINE_POINT=0; }',
    `bind -x '"\\C-x\\C-x": show'; bind 'set bell-style none'; PS1=; echo ready >> lines`,
  ]
  writeFileSync(join(shell.folder, 'rc'), rc.join('\n'))
  return pressKeys(typed, { ...shell, command: 'bash --noprofile --rcfile rc -i', show: '\u0018\u0018' })
}

function pressInZsh(typed: readonly string[], shell: Shell): Promise<string[]> {
  const rc = [
    `fpath=(${shell.folder} $fpath); autoload -Uz compinit; compinit -u -D; PS1=; unsetopt zle_bracketed_paste 2>/dev/null`,
    `show() { print -r -- "$BUFFER" >> lines; BUFFER=; }; zle -N show; bindkey '^X^X' show; bindkey '^I' complete-word; print ready >> lines`,
  ]
  writeFileSync(join(shell.folder, '.zshrc'), rc.join('\n'))
  return pressKeys(typed, { ...shell, command: 'zsh -i', show: '\u0018\u0018' })
}

/** fish completes a line without a terminal. */
async function pressInFish(typed: readonly string[], { folder, environment }: Shell): Promise<string[]> {
  const completed: string[] = []
  for (const line of typed) {
    const args = ['--no-config', '-c', `source ${join(folder, '_earshot')}; complete -C '${line}'`]
    const [word = ''] = (await run('fish', args, { environment })).output.split(/[\t\n]/)
    completed.push(line.replace(/\S+$/, word))
  }
  return completed
}

/** Types lines with TAB into a shell on a terminal, each when the one before is shown. */
async function pressKeys(typed: readonly string[], { folder, environment, command, show }: Shell & { command: string; show: string }) {
  const file = join(folder, 'lines')
  writeFileSync(file, '')
  const shown = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const env = { ...process.env, ...environment, TERM: 'dumb', ZDOTDIR: folder }
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env, stdio: ['pipe', 'ignore', 'inherit'] })
  const closed = once(child, 'close')
  // A shell that has ended shows nothing, which is the problem then.
  child.stdin.on('error', () => {})
  const until = async (count: number) => {
    for (let tries = 0; shown().length < count && tries < 200; tries += 1) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await until(1)
  for (const [index, line] of typed.entries()) {
    child.stdin.write(`${line}\t${show}`)
    await until(index + 2)
  }
  child.stdin.end('exit\n')
  const timer = setTimeout(() => child.kill(), 5_000)
  await closed
  clearTimeout(timer)
  return shown()
    .slice(1)
    .map((line) => line.trimEnd())
}

function pathWithEarshot(): string {
  return [join(TOP, 'node_modules/.bin'), process.env.PATH].join(delimiter)
}
