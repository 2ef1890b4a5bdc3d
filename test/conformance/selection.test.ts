import { execFileSync } from 'node:child_process'
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pagePathsOf } from '../../web/page-paths.ts'
import { changedFiles } from './changes.ts'
import { type Check, STAGES } from './check.ts'
import { TOP } from './command.ts'
import { coreChecks } from './core-checks.ts'
import { coreFlows, uncheckedPages } from './dashboard/core-flows.ts'
import { flowsOf } from './dashboard/flows.ts'
import { announce, quarterOf, type Selection, secondsOf, select, tellLeftOut, type Wish } from './selection.ts'
import { SOURCES, sourceOf } from './sources.ts'
import { type WideId, wideChecks } from './wide-checks.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 10, 28, 21, 30)
const rings = { core: coreChecks, wide: wideChecks }
const ids = Object.keys(wideChecks) as WideId[]
const core: Check[] = Object.values(coreChecks)
const wide: Check[] = Object.values(wideChecks)
const usual: Wish = { words: [], isAll: false, minutes: null }

const taken = (selection: Selection) => selection.taken.map(({ check }) => check)
const takenAt = (nowMs: number) => taken(select(rings, usual, { nowMs, changed: [] }))
/** The wide checks that a change takes beside those whose turn it is. */
const takenBy = (...changed: string[]) => {
  const selection = select(rings, usual, { nowMs: NOW_MS, changed })
  const named = new Set(selection.taken.filter(({ why }) => !why.startsWith('quarter')).map(({ check }) => check))
  return ids.filter((id) => named.has(wideChecks[id]) || wideChecks[id].quarter === quarterOf(NOW_MS))
}
const filesOf = (repository: string) => execFileSync('git', ['ls-files'], { cwd: repository, encoding: 'utf8' }).trim().split('\n')

describe('by the clock', () => {
  test('the quarter is the number of the hour since 1970, modulo 4', () => {
    expect([0, 1, 2, 3, 4].map((hour) => quarterOf(hour * HOUR_MS))).toEqual([0, 1, 2, 3, 0])
    expect(quarterOf(4 * HOUR_MS - 1)).toBe(3)
  })

  test.for([0, 1, 2, 3])('hour %s of four takes the core ring and its quarter, and nothing else', (hour) => {
    const nowMs = NOW_MS + hour * HOUR_MS
    const quarter = wide.filter((check) => 'quarter' in check && check.quarter === quarterOf(nowMs))
    expect(takenAt(nowMs)).toEqual([...core, ...quarter])
    expect(quarter.length).toBeGreaterThan(0)
  })

  test('four consecutive hours take every check of the wide ring once', () => {
    const inTurn = [0, 1, 2, 3].flatMap((hour) => takenAt(NOW_MS + hour * HOUR_MS)).filter((check) => !core.includes(check))
    expect(inTurn).toHaveLength(wide.length)
    expect(new Set(inTurn)).toEqual(new Set(wide))
  })

  test('the quarters take about as long as each other', () => {
    const seconds = [0, 1, 2, 3].map((hour) => secondsOf(takenAt(NOW_MS + hour * HOUR_MS)))
    expect(Math.max(...seconds) / Math.min(...seconds)).toBeLessThan(1.25)
  })

  test('the core ring takes at most twelve minutes', () => {
    expect(secondsOf(core)).toBeLessThanOrEqual(12 * 60)
  })
})

describe('by what has changed', () => {
  const BROWSERS: WideId[] = ['dashboardWords', 'visitors', 'embed', 'accountPages', 'journeys', 'otherBrowsers', 'budgets']

  test.for<[path: string, expected: WideId[]]>([
    ['web/src/styles/theme.css', BROWSERS],
    ['web/src/embed/wall.ts', ['embed', 'otherBrowsers']],
    ['sdks/python/src/earshot/client.py', ['pythonPackage']],
    ['sdks/go/client.go', ['goModule']],
    ['sdks/typescript/src/index.ts', ['clientPackage']],
    ['contracts/src/projects.ts', ['generatedClients', 'pythonPackage', 'goModule', 'clientPackage', 'schemathesis']],
    ['drivers/src/transcoder/child/main.ts', ['clips']],
    ['drivers/src/storage/s3-store.ts', ['storage', 'uploadCuts']],
    ['db/migrations/0001_first.sql', ['rollingUpgrade', 'schemaChanges', 'durability', 'pooler']],
    ['jobs/src/imports/run.ts', ['importKill']],
    ['test/conformance/other-browsers/firefox.ts', ['otherBrowsers']],
  ])('a change to %s takes its checks', ([path, expected]) => {
    expect(takenBy(path)).toEqual(expect.arrayContaining(expected))
  })

  test('a change to a package takes no other package, and one to documents and unit tests takes nothing', () => {
    const turn = takenBy()
    expect(takenBy('sdks/python/README.md').filter((id) => !turn.includes(id))).toEqual(
      turn.includes('pythonPackage') ? [] : ['pythonPackage'],
    )
    expect(takenBy('docs/operating.md', 'README.md', 'test/api/projects.test.ts')).toEqual(turn)
  })

  test.for(['tools/new.ts', 'new-file.json', 'package-lock.json', 'test/support/people.ts', 'test/conformance/command.ts'])(
    'a change to %s, which nobody has narrowed down, takes all',
    (path) => expect(takenBy(path)).toEqual(ids),
  )

  test('a history that is cut off takes all', () => {
    const selection = select(rings, usual, { nowMs: NOW_MS, changed: null })
    expect(taken(selection)).toEqual([...core, ...wide])
    expect(announce(selection)).toContain('no commit of more than twelve hours ago is known')
  })

  test('every folder of the repository is known or takes all, and every entry stands for something', () => {
    const files = filesOf(TOP)
    const tops = new Set(files.map((file) => file.split('/')[0] ?? ''))
    const unknown = [...tops].filter((name) => !Object.hasOwn(SOURCES, name))
    // They concern all that is installed, built and compiled, and a new package has no check yet.
    expect(unknown.sort()).toEqual(['.npmrc', 'package-lock.json', 'package.json', 'sdks', 'tsconfig.json', 'turbo.json'])
    for (const name of unknown) expect(sourceOf(name)).toEqual({ folder: name, concerned: 'all' })
    expect(Object.keys(SOURCES).filter((name) => !files.some((file) => file === name || file.startsWith(`${name}/`)))).toEqual([])
  })

  test('every check of the wide ring depends on something', () => {
    const concerned = new Set(Object.values(SOURCES).flatMap((one) => (one === 'all' ? [] : one)))
    expect(ids.filter((id) => !concerned.has(id))).toEqual([])
  })
})

describe('the long forms', () => {
  const files = wide.flatMap(({ name }) => /^The long form of (\S+)$/.exec(name)?.[1] ?? [])

  test('npm run test:fault:long runs the files that are checks of the wide ring', () => {
    const { scripts } = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8'))
    expect(scripts['test:fault:long'].match(/test\/\S+\.test\.ts/g).sort()).toEqual(files.toSorted())
  })

  test.for(files)('what %s imports of its own folder concerns it', (file) => {
    const own = ids.filter((id) => wideChecks[id].name.endsWith(file))
    for (const path of importedFrom(file)) expect([path, sourceOf(path).concerned]).toEqual([path, expect.arrayContaining(own)])
  })

  /** The file, and what it imports below its folder, directly or not. */
  function importedFrom(file: string, found = new Set<string>()): Set<string> {
    if (found.has(file)) return found
    found.add(file)
    for (const [, path = ''] of readFileSync(join(TOP, file), 'utf8').matchAll(/ from '(\.\/[^']+)'/g))
      importedFrom(join(dirname(file), path), found)
    return found
  }
})

describe('by a wish', () => {
  test('words take the checks whose names contain one of them, whichever the ring', () => {
    const selection = select(rings, { ...usual, words: ['PgBouncer', 'dashboard'] }, { nowMs: NOW_MS, changed: null })
    const names = selection.taken.map(({ check }) => check.name)
    expect(names).toContain(wideChecks.pooler.name)
    expect(names).toContain(coreChecks.dashboard.name)
    expect(names.every((name) => /PgBouncer|dashboard/.test(name))).toBe(true)
  })

  test('--all takes both rings whole', () => {
    const selection = select(rings, { ...usual, isAll: true }, { nowMs: NOW_MS, changed: [] })
    expect(selection.leftOut).toEqual([])
    expect(taken(selection)).toEqual([...core, ...wide])
  })

  test('minutes leave the long ones of what has changed to their turn, and nothing of the core ring and the quarter', () => {
    const due = takenAt(NOW_MS)
    const whole = select(rings, usual, { nowMs: NOW_MS, changed: null })
    const none = select(rings, { ...usual, minutes: 1 }, { nowMs: NOW_MS, changed: null })
    expect(taken(none)).toEqual(due)
    const minutes = Math.ceil(secondsOf(due) / 60) + 3
    const some = select(rings, { ...usual, minutes }, { nowMs: NOW_MS, changed: null })
    expect(taken(some).length).toBeGreaterThan(due.length)
    expect(taken(some).length).toBeLessThan(taken(whole).length)
    expect(secondsOf(taken(some))).toBeLessThanOrEqual(minutes * 60)
    expect(tellLeftOut(some)).toContain(`but ${minutes} minutes are full`)
  })

  test('a run says what it takes and why, and what it leaves out until when', () => {
    const selection = select(rings, usual, { nowMs: NOW_MS, changed: ['sdks/go/client.go', 'sdks/python/README.md'] })
    const [first = '', ...lines] = announce(selection).split('\n')
    expect(first).toMatch(/^\d+ of \d+ checks, about \d+ min:$/)
    expect(lines).toContain('takes     Redocly recommended-strict over the document (core ring)')
    expect(lines).toHaveLength(selection.taken.length)
    const reasons = selection.taken.map(({ why }) => why)
    expect(reasons).toEqual(expect.arrayContaining([`quarter ${quarterOf(NOW_MS)} of the wide ring`]))
    const other = ids.find((id) => wideChecks[id].quarter === (quarterOf(NOW_MS) + 1) % 4 && !['goModule', 'pythonPackage'].includes(id))
    const quarter = wideChecks[other ?? 'budgets'].quarter
    expect(tellLeftOut(selection)).toContain(`left out  ${wideChecks[other ?? 'budgets'].name} (quarter ${quarter}, from 22:00 UTC on)`)
  })
})

describe('the tables', () => {
  test('names differ, and each check runs in a lane of one stage', () => {
    const names = [...core, ...wide].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const lanes = STAGES.flat()
    expect(new Set(lanes).size).toBe(lanes.length)
  })

  test('each page of the dashboard has a flow in the core ring, and each of those flows exists', () => {
    const router = readFileSync(join(TOP, 'web/src/dashboard/router.tsx'), 'utf8')
    const pages = new Set([...pagePathsOf(router).values()].flat())
    // It leads to a project, or is the page that makes the first one.
    if (pages.delete('/$team')) pages.add('/$team/')
    expect(Object.keys(coreFlows).sort()).toEqual([...pages].sort())
    const names = new Set(flowsOf('core').map(({ name }) => name))
    expect(names).toEqual(new Set(Object.values(coreFlows)))
  })

  test('each flow of the dashboard is in one part', () => {
    const parts = (['core', 'words', 'surveys', 'team', 'keys'] as const).map((part) => flowsOf(part).map(({ name }) => name))
    expect(new Set(parts.flat()).size).toBe(parts.flat().length)
    expect(parts.every((part) => part.length > 0)).toBe(true)
  })

  test('a page is checked at its own address, and not at that of another', () => {
    const flow = coreFlows['/$team/$project/widgets/$widget'] ?? ''
    expect(uncheckedPages(flow, ['/app/compilers/website/widgets'])).toEqual(['/$team/$project/widgets/$widget'])
    expect(uncheckedPages(flow, ['/app/compilers/website/widgets', '/app/compilers/website/widgets/019a'])).toEqual([])
    expect(
      uncheckedPages(coreFlows['/'] ?? '', ['/app/', '/app/compilers/', '/app/compilers/-/teams/new', '/app/a/-/projects/new']),
    ).toEqual([])
    expect(uncheckedPages('another flow', [])).toEqual([])
  })
})

describe('the history', () => {
  const ages = { 'old.ts': 30, 'older.ts': 13, 'young.ts': 11, 'new.ts': 0.5 }

  test('what has changed is what newer commits and the work tree changed since the newest commit of more than twelve hours ago', async () => {
    using repository = makeRepository()
    expect(await changedFiles(NOW_MS, repository.path)).toEqual(['new.ts', 'young.ts'])
    expect(await changedFiles(NOW_MS + 2 * HOUR_MS, repository.path)).toEqual(['new.ts'])
    writeFileSync(join(repository.path, 'old.ts'), 'changed')
    expect(await changedFiles(NOW_MS + 2 * HOUR_MS, repository.path)).toEqual(['new.ts', 'old.ts'])
    expect(await changedFiles(NOW_MS + 24 * HOUR_MS, repository.path)).toEqual(['old.ts'])
  })

  test('a history that does not go back, is cut off or is missing tells nothing', async () => {
    using repository = makeRepository()
    expect(await changedFiles(NOW_MS - 24 * HOUR_MS, repository.path)).toBeNull()
    const copy = join(repository.path, 'copy')
    execFileSync('git', ['clone', '--quiet', '--depth', '2', `file://${repository.path}`, copy])
    expect(await changedFiles(NOW_MS, copy)).toBeNull()
    using empty = mkdtempDisposableSync(join(tmpdir(), 'earshot-history-'))
    expect(await changedFiles(NOW_MS, empty.path)).toBeNull()
  })

  function makeRepository() {
    const repository = mkdtempDisposableSync(join(tmpdir(), 'earshot-history-'))
    const git = (args: string[], date = '') => {
      const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
      execFileSync('git', [...who, ...args], { cwd: repository.path, env: { ...process.env, GIT_COMMITTER_DATE: date } })
    }
    git(['init', '--quiet'])
    for (const [file, hours] of Object.entries(ages)) {
      writeFileSync(join(repository.path, file), file)
      git(['add', file])
      git(['commit', '--quiet', '--message', file], new Date(NOW_MS - hours * HOUR_MS).toISOString())
    }
    return repository
  }
})
