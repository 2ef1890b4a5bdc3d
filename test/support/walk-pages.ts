import { expect } from 'vitest'
import type { TestService } from './test-service.ts'

interface Walk {
  token?: string
  query?: Record<string, string>
}

/** Returns every page of a list, from the first to the one without a cursor. */
export async function walkPages(service: TestService, path: string, { token, query = {} }: Walk = {}): Promise<{ id: string }[][]> {
  const pages: { id: string }[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const parameters = new URLSearchParams({ ...query, ...(cursor !== '' && { cursor }) })
    const answer = await service.send('GET', `${path}?${parameters}`, { token })
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200 })
    pages.push(answer.body.results)
    cursor = answer.body.next_cursor
  }
  return pages
}

/** Returns the ids of all pages, in order. */
export async function walkIds(service: TestService, path: string, walk: Walk = {}): Promise<string[]> {
  return (await walkPages(service, path, walk)).flat().map(({ id }) => id)
}
