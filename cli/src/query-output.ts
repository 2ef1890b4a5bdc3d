import { compile, isRegistered, type JSONValue, TreeInterpreter } from '@jmespath-community/jmespath'
import { isPage, type Output } from './page.ts'
import { jsonText, printable } from './printable.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/**
 * Prints what a JMESPath expression takes from the whole response, that of all pages together. Text is bare unless `isJson`, as by
 * `gh --jq`. Throws a UsageError when it is no expression.
 */
export function queryOutput({ columns, writeAll }: Terminal, expression: string, isJson: boolean): Output {
  const search = searcherOf(expression)
  const bare = (text: string) => (columns === undefined ? text : printable(text))
  let whole: unknown
  return {
    add: async (result) => {
      if (isPage(whole) && isPage(result)) {
        for (const record of result.results) whole.results.push(record)
        whole = { ...result, results: whole.results }
      } else whole = result
    },
    end: async () => {
      const found = search((whole ?? null) as JSONValue) // Proven: it was read from JSON.
      await writeAll(`${typeof found === 'string' && !isJson ? bare(found) : jsonText(found)}\n`)
    },
  }
}

/** An unknown function is found here too, before anything is sent. */
function searcherOf(expression: string): (value: JSONValue) => JSONValue {
  const compiled = named('it is no JMESPath expression', () => compile(expression))
  const unknown = functionsIn(compiled).find((name) => !isRegistered(name))
  if (unknown !== undefined) throw new UsageError(`--query: there is no function ${unknown}`)
  return (value) => named('it does not fit the response', () => TreeInterpreter.search(compiled, value) as JSONValue) // No expression is a result.
}

/** Returns the names of the functions in a parsed expression, a tree of nodes. */
function functionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { type, name } = node as { type?: unknown; name?: unknown } // Lists of nodes have neither.
  // What a literal holds is data.
  if (type === 'Literal') return []
  const own = type === 'Function' ? [String(name)] : []
  return [...own, ...Object.values(node).flatMap(functionsIn)]
}

function named<Result>(problem: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`--query: ${problem}: ${error instanceof Error ? error.message : error}`)
  }
}
