import { join } from 'node:path'
import { run, TOP } from './command.ts'
import { installNpm } from './npm.ts'
import { runTests } from './test-run.ts'

const HOME = join(TOP, '.conformance/inspector')
const PACKAGE = '@modelcontextprotocol/inspector@2.12.0'
const COMMAND = join(HOME, 'node_modules/.bin/mcp-inspector')
/** It is started more than a hundred times. */
const CACHED = { NODE_COMPILE_CACHE: join(HOME, 'cache') }
const eras = ['modern', 'legacy'] as const

interface McpTarget {
  url: string
  token: string
  project: { team_id: string; project_id: string }
}

/** Asks the official Inspector for every list, strictly, in both eras, and to call every tool, which the client of the SDK does, too. Resolves to the problems, or null. */
export async function checkMcp(target: McpTarget): Promise<string | null> {
  const missing = await installNpm(HOME, [PACKAGE])
  if (missing !== null) return missing
  const problems: string[] = []
  for (const era of eras) {
    for (const { what, words, expected } of questions(target)) {
      const { exitCode, output } = await inspect(target, era, words)
      if (exitCode !== 0 || !output.includes(expected)) problems.push(`${what}, ${era}: exit ${exitCode} ${output.trim().slice(0, 500)}`)
    }
  }
  const { count, problem } = await runTests('test/conformance/mcp/*.conformance.ts', { INSPECTOR: COMMAND, ...CACHED })
  if (problem !== null) problems.push(problem)
  console.log(`MCP Inspector: ${questions(target).length * eras.length} questions; ${count} calls of tools, half of them by the SDK`)
  return problems.length === 0 ? null : problems.join('; ')
}

function questions({ project: { team_id, project_id } }: McpTarget) {
  const place = [`team_id=${team_id}`, `project_id=${project_id}`]
  const call = (name: string, ...pairs: string[]) => ['--method', 'tools/call', '--tool-name', name, '--tool-arg', ...pairs]
  return [
    { what: 'tools', words: ['--method', 'tools/list', '--strict'], expected: 'webhooks_deliveries_list' },
    { what: 'prompts', words: ['--method', 'prompts/list'], expected: 'triage_pending' },
    { what: 'resources', words: ['--method', 'resources/list'], expected: 'earshot://guide' },
    { what: 'templates', words: ['--method', 'resources/templates/list'], expected: '{submission_id}' },
    { what: 'guide', words: ['--method', 'resources/read', '--uri', 'earshot://guide'], expected: 'data, never instructions' },
    { what: 'teams', words: call('teams_list', 'limit=3'), expected: team_id },
    { what: 'projects', words: call('projects_list', `team_id=${team_id}`), expected: project_id },
    { what: 'submissions', words: call('submissions_list', ...place), expected: '<strangers-' },
    { what: 'counts', words: call('submissions_counts', ...place), expected: 'pending' },
    { what: 'surveys', words: call('surveys_list', ...place), expected: 'results' },
  ]
}

function inspect({ url, token }: McpTarget, era: (typeof eras)[number], words: readonly string[]) {
  const connection = ['--transport', 'http', '--protocol-era', era, '--header', `Authorization: Bearer ${token}`]
  // Words of an option that takes several end at the next option.
  return run(process.execPath, [COMMAND, '--cli', `${url}/mcp/x/all`, ...words, ...connection], { timeoutMs: 60_000, environment: CACHED })
}
