import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const { dirname: HERE } = import.meta
const DIST = join(HERE, 'dist')

/**
 * Turns `dist` into a package: `npm publish contracts/dist`. Its manifest is that of this workspace, with each source replaced
 * by its compiled file: Node runs the sources inside the workspace, and the package contains only JavaScript.
 */
const { private: _private, scripts: _scripts, exports: sources, ...manifest } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))
const published = {
  ...manifest,
  sideEffects: false,
  exports: Object.fromEntries(Object.entries<string>(sources).map(([name, source]) => [name, compiledFrom(source)])),
}
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'))
copyFileSync(join(HERE, '../LICENSE'), join(DIST, 'LICENSE'))

function compiledFrom(source: string) {
  const file = source.replace(/^\.\/src\/(.+)\.ts$/, './$1')
  return { types: `${file}.d.ts`, default: `${file}.js` }
}
