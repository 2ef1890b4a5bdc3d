import { changedFiles } from './changes.ts'
import { type Check, STAGES } from './check.ts'
import { keepScreens } from './command-line.ts'
import { coreChecks } from './core-checks.ts'
import { keepJourneys } from './journeys.ts'
import { announce, select, tellLeftOut } from './selection.ts'
import { keepScreenshots } from './sign-ins.ts'
import { openSurroundings, type Surroundings } from './surroundings.ts'
import { wideChecks } from './wide-checks.ts'

const LOGGED_CHARACTERS = 8_000
const MINUTES = /^--minutes=(\d+)$/
const OPTIONS = new Set(['--all', '--keep-screenshots'])

/** Outside tools check the running service: its document as it is served, and whether the service conforms to it. */
const problems = new Map<string, string | null>()
const options = process.argv.slice(2)
const nowMs = Date.now()
const wish = {
  words: options.filter((option) => !option.startsWith('--')),
  isAll: options.includes('--all'),
  minutes: options.map((option) => Number(MINUTES.exec(option)?.[1] ?? 0)).find((minutes) => minutes > 0) ?? null,
}
const names = [...Object.values(coreChecks), ...Object.values(wideChecks)].map(({ name }) => name)
const unknown = wish.words.find((word) => !names.some((name) => name.includes(word)))
if (unknown !== undefined) throw new Error(`No check has ${unknown} in its name`)
const strange = options.find((option) => option.startsWith('--') && !OPTIONS.has(option) && !MINUTES.test(option))
if (strange !== undefined) throw new Error(`${strange} is not an option. Choose from: ${[...OPTIONS].join(', ')}, --minutes=N.`)
const selection = select({ core: coreChecks, wide: wideChecks }, wish, { nowMs, changed: await changedFiles(nowMs) })
console.log(`${announce(selection)}\n`)

await using surroundings = await openSurroundings()
for (const lanes of STAGES) await Promise.all(lanes.map((name) => runInTurn(surroundings, checksOf(name))))

if (options.includes('--keep-screenshots')) {
  const kept: [Check, () => void][] = [
    [coreChecks.signIns, keepScreenshots],
    [coreChecks.commandLine, keepScreens],
    [wideChecks.journeys, keepJourneys],
  ]
  for (const [check, keep] of kept) if (problems.has(check.name)) keep()
}
const failed = [...problems.values()].filter((problem) => problem !== null).length
if (failed > 0) console.log(`\nWhat the service logged:\n${surroundings.output().slice(0, LOGGED_CHARACTERS)}`)
console.log()
for (const [what, problem] of problems) console.log(lineOf(what, problem))
if (wish.words.length === 0) console.log(tellLeftOut(selection))
console.log(`${problems.size - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function checksOf(lane: string): Check[] {
  return selection.taken.map(({ check }) => check).filter((check) => check.lane === lane)
}

/** Runs checks one after the other; each says at once what became of it, for a run may be cut short. */
async function runInTurn(place: Surroundings, checks: readonly Check[]): Promise<void> {
  for (const { name, run } of checks) {
    const startedMs = performance.now()
    const problem = await run(place).catch((error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)))
    problems.set(name, problem)
    console.log(`\n${lineOf(name, problem)} (${Math.round((performance.now() - startedMs) / 1000)} s)\n`)
  }
}

function lineOf(what: string, problem: string | null): string {
  return problem === null ? `passed    ${what}` : `FAILED    ${what}: ${problem}`
}
