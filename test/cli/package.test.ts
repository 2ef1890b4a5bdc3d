import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { playService } from './fake-service.ts'

let project: InstalledPackage
beforeAll(async () => {
  project = await installPackage('cli')
}, 120_000)
afterAll(() => project?.[Symbol.dispose]())

const earshot = (...args: string[]) => project.run('node_modules/.bin/earshot', ...args)

test('the package has no dependencies, and the licences of what it contains', async () => {
  expect(await project.listDependencies()).toEqual(['@earshot/cli'])
  const licences = await project.run('cat', 'node_modules/@earshot/cli/LICENSES-OF-PACKAGES.txt')
  for (const name of ['commander', 'csv-stringify', 'cli-progress', 'eventsource-parser', 'string-width'])
    expect(licences).toMatch(new RegExp(String.raw`^${name} \d+\.\d+\.\d+ \(MIT\)$`, 'm'))
})

test('it knows its version, its commands and their flags', async () => {
  expect(await earshot('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(await earshot('submissions', '--help')).toMatch(/^ {2}approve <submission-id> +Approve a submission/m)
  expect(await earshot('completion', 'bash')).toContain("'submissions list') echo '")
  expect(await earshot('submissions', 'list', '--help')).toMatch(/--state <choice> [^-]*\(pending,\s+approved,\s+rejected\)/)
})

test('it calls a service, and shows a table', async () => {
  const team = { id: '019aa3c1-7d40-7c3e-9f3b-2b8f7a6f1e03', name: 'Compilers', slug: 'compilers', plan: 'free' }
  await using service = await playService({ json: { results: [team], next_cursor: null } })
  const shown = await project.run('env', `EARSHOT_URL=${service.url}`, 'EARSHOT_TOKEN=svc_x', 'node_modules/.bin/earshot', 'teams', 'list')
  expect(shown).toMatch(/^ID +NAME/i)
  expect(shown).toContain('Compilers')
  const formatted = async (...flags: string[]) =>
    await project.run('env', `EARSHOT_URL=${service.url}`, 'EARSHOT_TOKEN=svc_x', 'node_modules/.bin/earshot', 'teams', 'list', ...flags)
  expect(await formatted('--query', 'results[0].name')).toBe('Compilers\n')
  expect(await formatted('--csv')).toContain(`\r\n${team.id},Compilers,`)
  expect(service.requests.slice(0, 1)).toMatchObject([
    { method: 'GET', path: '/api/v1/teams/', headers: { authorization: 'Bearer svc_x' } },
  ])
})

/** Prints the name of each file that is loaded. */
const LISTING = `
  import { registerHooks } from 'node:module'
  const load = (url, context, next) => {
    if (url.startsWith('file:')) process.stderr.write('file ' + url.split('/').at(-1) + '\\n')
    return next(url, context)
  }
  registerHooks({ load })`

test.for([
  ['--help', []],
  ['submissions list --help', ['operation-command.js']],
  ['teams list', ['operation-command.js']],
  ['teams list --json', ['operation-command.js']],
  ['teams delete t1', ['operation-command.js']],
] as const)('%s loads the everyday file, and no more than a door to it', async ([args, doors]) => {
  await using service = await playService({ json: { results: [{ id: 'a', name: 'Compilers' }], next_cursor: null } })
  project.write('listing.js', LISTING)
  const earshot = `${process.execPath} --import ./listing.js node_modules/@earshot/cli/lib/earshot.js ${args}`
  const printed = await project.run('sh', '-c', `EARSHOT_URL=${service.url} EARSHOT_TOKEN=svc_x ${earshot} 2>&1 >/dev/null`)
  const loaded = [...printed.matchAll(/^file (.*)$/gm)].map(([, file]) => file)
  expect(loaded.sort()).toEqual(['earshot.js', 'everyday.js', 'program.js', 'terminal.js', ...doors].sort())
})
