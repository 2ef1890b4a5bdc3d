import { execFileSync } from 'node:child_process'
import { isEverywhere } from '@earshot/contracts'
import { describe, expect, it } from 'vitest'
import { earshot } from '../cli/command-line.ts'
import { playService, refusal } from '../cli/fake-service.ts'
import { type DocumentedOperation, documentedOperations, expectedRequest, partsOf, sampleOf } from './example-requests.ts'
import { objectAt } from './read-document.ts'

const BASE_URL = 'https://feedback.example'
const operations = documentedOperations(BASE_URL)
const commands = operations.filter(({ named: { operation } }) => isEverywhere(operation) || operation.stream !== false)

describe.each(operations)('$named.operationId', (found) => {
  const { named, documented, input } = found
  const { operation } = named

  it('shows a request and its response that were sent', () => {
    const { example } = objectAt(objectAt(objectAt(documented, 'requestBody'), 'content'), 'application/json')
    expect(example).toEqual('requestBody' in documented ? expectedRequest(found).body : undefined)
    for (const name of operation.pathFields) expect(JSON.stringify(documented.parameters)).toContain(String(input[name]))
    const success = objectAt(objectAt(documented, 'responses'), String(operation.status))
    const [content = {}] = Object.values(objectAt(success, 'content'))
    expect('example' in Object(content)).toBe(operation.status !== 204)
  })

  it('has a sample for each client', () => {
    const labels = ['curl', 'TypeScript', 'Python', 'Go', ...(commands.includes(found) ? ['Command line'] : [])]
    expect(labels.filter((label) => sampleOf(found, label) === undefined)).toEqual([])
    expect(sampleOf(found, 'Command line') !== undefined).toBe(commands.includes(found))
  })
})

it('calls with curl send the recorded requests', () => {
  const words = wordsOf(operations, 'curl')
  for (const [index, found] of operations.entries()) {
    expect(requestOfCurl(words[index] ?? []), found.named.name).toEqual({ ...expectedRequest(found), origin: BASE_URL })
  }
})

it('command lines are understood by the command, and send the recorded requests', async () => {
  const words = wordsOf(commands, 'Command line')
  await using service = await playService(refusal(403, 'insufficient_scope'))
  for (const [index, found] of commands.entries()) {
    service.requests.length = 0
    const { exitCode, err } = await earshot(words[index] ?? [], { url: service.url, env: { EARSHOT_TOKEN: 'svc_sample' } })
    expect(exitCode, `${found.named.name}: ${err}`).toBe(1)
    expect(service.requests.map(partsOf), found.named.name).toEqual([expectedRequest(found)])
  }
})

/** The words of samples as a shell reads them, without the program's name. */
function wordsOf(found: readonly DocumentedOperation[], label: string): string[][] {
  const print = `{ printf '%s\\0' "$@"; printf '\\0'; }`
  const script = [`curl() ${print}`, `earshot() ${print}`, ...found.map((each) => sampleOf(each, label) ?? '')].join('\n')
  const output = execFileSync('sh', ['-euc', script], { encoding: 'utf8', env: { EARSHOT_TOKEN: 'svc_sample' } })
  return output
    .split('\0\0')
    .slice(0, -1)
    .map((text) => text.split('\0'))
}

/** What curl would send, for the options that samples use. */
function requestOfCurl(words: readonly string[]) {
  const valuesOf = (option: string) => words.flatMap((word, index) => (word === option ? [words[index + 1] ?? ''] : []))
  const headers = valuesOf('-H').map((line) => line.split(': '))
  const address = new URL(words.find((word) => word.startsWith('http')) ?? '')
  const [body] = valuesOf('-d')
  const request = {
    method: valuesOf('-X')[0] ?? 'GET',
    path: address.pathname + address.search,
    headers: Object.fromEntries(headers.map(([name = '', value]) => [name.toLowerCase(), value])),
    body: body ?? '',
  }
  expect(request.headers['content-type']).toBe(body === undefined ? undefined : 'application/json')
  return { ...partsOf(request), origin: address.origin }
}
