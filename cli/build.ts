import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'rolldown'

const { dirname: HERE } = import.meta
const TOP = join(HERE, '..')
/** `dist`, or the folder that the command line names. */
const DIST = process.argv[2] ?? join(HERE, 'dist')
const LIB = join(DIST, 'lib')

/** What nearly every command starts with. All that these import is in one file with them, because each file takes time of its own. */
const EVERYDAY = ['program.ts', 'terminal.ts', 'operation-command.ts'].map((name) => join(HERE, 'src', name))

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
  const everyday = new Set<string>()
  const findEveryday: Plugin = {
    name: 'everyday',
    buildEnd() {
      addImports(everyday, EVERYDAY, (id) => this.getModuleInfo(id)?.importedIds ?? [])
    },
  }
  const { output } = await build({
    plugins: [findEveryday],
    input: { earshot: join(HERE, 'src/earshot.js') },
    platform: 'node',
    resolve: { conditionNames: ['import', 'default'] },
    transform: { target: TARGET },
    treeshake: { moduleSideEffects: false },
    // What is loaded when it is needed may be in the everyday file as well.
    checks: { ineffectiveDynamicImport: false },
    output: {
      ...{ dir: LIB, format: 'esm', minify: true, entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      codeSplitting: { groups: [{ name: 'everyday', test: (id) => everyday.has(id) }] },
    },
  })
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/** Adds modules with all that they import, but not what they load when it is needed. */
function addImports(found: Set<string>, ids: readonly string[], importsOf: (id: string) => readonly string[]): void {
  for (const id of ids) if (!found.has(id)) addImports(found.add(id), importsOf(id), importsOf)
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
