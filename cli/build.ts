import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'

const { dirname: HERE } = import.meta
const TOP = join(HERE, '..')
const DIST = join(HERE, 'dist')
const LIB = join(DIST, 'lib')

/** What nearly every command loads: together in one file, because each file takes time of its own. */
const EVERYDAY =
  /\/cli\/src\/(account|advice|authorized-fetch|body|columns|failure|flags|invoke|json-output|layouts|not-signed-in|observe|operation-command|output|page|paint|path-fields|printable|private-file|profiles|refresh|schema-node|service|suggestion|system-error|team-and-project|usage-error)\.ts$|\/contracts\/src\/client\/(client|errors|models|operation|options|pages|patience|reply|request|retry|statuses)\.ts$|\/fast-string-/

/** What the oldest Node that runs it understands. */
const TARGET = 'node20'

rmSync(DIST, { recursive: true, force: true })
mkdirSync(LIB, { recursive: true })
const bundled = await bundle()
copyFileSync(join(HERE, 'src/schemas.jsonl'), join(LIB, 'schemas.jsonl'))
writeManifest()
writeLicences(bundled)

/** Bundles the sources with all packages that they import. What few commands need is in files of its own. Returns the modules. */
async function bundle(): Promise<string[]> {
  const { output } = await build({
    input: { earshot: join(HERE, 'src/earshot.js') },
    platform: 'node',
    resolve: { conditionNames: ['import', 'default'] },
    transform: { target: TARGET },
    treeshake: { moduleSideEffects: false },
    output: {
      ...{ dir: LIB, format: 'esm', minify: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      codeSplitting: { groups: [{ name: 'everyday', test: EVERYDAY }] },
    },
  })
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/** Turns `dist` into a package without dependencies: `npm publish cli/dist`. */
function writeManifest(): void {
  const {
    private: _private,
    scripts: _scripts,
    dependencies: _bundled,
    devDependencies: _tools,
    exports: _sources,
    ...manifest
  } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'))
  const published = { ...manifest, bin: { earshot: './lib/earshot.js' } }
  writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(join(HERE, 'README.md'), join(DIST, 'README.md'))
  copyFileSync(join(TOP, 'LICENSE'), join(DIST, 'LICENSE'))
}

/** Writes the licences of the packages in the bundle. */
function writeLicences(modules: readonly string[]): void {
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return `${name} ${version} (${license})\n\n${licenceIn(folder)}`
  })
  writeFileSync(join(DIST, 'LICENSES-OF-PACKAGES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

function licenceIn(folder: string): string {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENSE-MIT.txt']) {
    try {
      return readFileSync(join(folder, name), 'utf8')
    } catch {
      // Named otherwise.
    }
  }
  throw new Error(`${folder} has no licence`)
}
