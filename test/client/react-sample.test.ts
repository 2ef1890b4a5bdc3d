import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

const PATIENCE = { timeout: 60_000 }
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GUIDE = readFileSync(join(ROOT, 'docs/widgets.md'), 'utf8')
const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, target: 'es2023', module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx' },
  ...{ lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

test('the React sample of the guide to widgets compiles, and refuses what the elements do not take', PATIENCE, async () => {
  const [, sample] = /^```tsx\n([\s\S]*?)^```$/m.exec(GUIDE) ?? []
  expect(sample).toContain('<earshot-wall')
  expect(await compile(sample ?? '')).toBe('')
  expect(await compile(`${sample}\nexport const wrong = <earshot-wall layout="circle" />\n`)).toContain(`'"circle"' is not assignable`)
})

/** Returns what the compiler says. The file is where React's types are found. */
async function compile(text: string): Promise<string> {
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'react-sample-'))
  folders.push(folder)
  writeFileSync(join(folder, 'sample.tsx'), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['sample.tsx'] }))
  const run = promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder])
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}
