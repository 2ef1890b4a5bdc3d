import { readdirSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'
import { refuseImport } from '../import-directions.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCE = /\.[cm]?[jt]sx?$/
const NOT_OURS = /(^|\/)(node_modules|dist|\.[^/]+)(\/|$)/

/** Prints each import that the table in `import-directions.ts` refuses, and fails when there is one. */
function checkImports(): void {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll(sep, '/'))
  const sources = files.filter((path) => SOURCE.test(path) && !NOT_OURS.test(path))
  const breaches = sources.flatMap(breachesOf)
  for (const breach of breaches) console.log(breach)
  console.log(`Checked the imports of ${sources.length} files: ${breaches.length} refused.`)
  if (breaches.length > 0) process.exitCode = 1
}

function breachesOf(file: string): string[] {
  return importsOf(file).flatMap((specifier) => {
    const reason = refuseImport(file, specifier)
    return reason === undefined ? [] : [`${file} imports ${specifier}: ${reason}`]
  })
}

/** Every module that the file names: static imports, re-exports, `import()` of a literal, and types. */
function importsOf(file: string): string[] {
  const { program } = parseSync(file, readFileSync(`${ROOT}${file}`, 'utf8'))
  const found: string[] = []
  const add = (source: unknown) => {
    if (isLiteral(source)) found.push(source.value)
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
  }).visit(program)
  return found
}

function isLiteral(node: unknown): node is { value: string } {
  return typeof node === 'object' && node !== null && 'value' in node && typeof node.value === 'string'
}

checkImports()
