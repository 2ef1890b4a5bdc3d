import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import type { Flow } from './fixture.ts'

export const draggingFlows: readonly Flow[] = [
  {
    name: 'dragging: questions are dragged by keys and with the pointer',
    run: async ({ page, open, check, client, team, project }) => {
      const { id } = await client.surveys.create({
        ...{ team_id: team.id, project_id: project.id, name: 'Launch' },
        questions: ['First', 'Second', 'Third'].map((title) => ({ type: 'long_text', ref: title.toLowerCase(), title })),
      })
      const inOrder = (refs: readonly string[]) =>
        until(`the survey asks ${refs}`, async () => {
          const { questions } = await client.surveys.retrieve({ team_id: team.id, project_id: project.id, survey_id: id })
          return questions.map(({ ref }) => ref).join() === refs.join()
        })
      await open(`surveys/${id}/edit`)
      await dragByKeys(page, { handle: 'Drag question 3', name: '“Third”', from: 3, to: 1, count: 3 })
      await inOrder(['third', 'first', 'second'])
      await check('questions in a new order')
      await dragByPointer(page, { from: 'Drag question 1', to: 'Drag question 2' })
      await inOrder(['first', 'third', 'second'])
      await page.getByRole('button', { name: 'Question 2. Third' }).waitFor()
    },
  },
]

interface ByKeys {
  handle: string
  /** As a screen reader says it. */
  name: string
  /** Places, from 1. */
  from: number
  to: number
  count: number
}

/** Drags an item up by Space and the arrow key. Each step waits for what a screen reader says of the one before. */
export async function dragByKeys(page: Page, { handle, name, from, to, count }: ByKeys): Promise<void> {
  const told = (words: string) => page.getByRole('status').getByText(`${name} ${words} of ${count}.`).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: handle }).focus()
  await page.keyboard.press('Space')
  await told(`is over place ${from}`)
  // The library listens to the arrow keys from its next timer on.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
  for (let place = from - 1; place >= to; place -= 1) {
    await page.keyboard.press('ArrowUp')
    await told(`is over place ${place}`)
  }
  await page.keyboard.press('Space')
  await told(`is dropped at place ${to}`)
}

export async function dragByPointer(page: Page, handles: { from: string; to: string }): Promise<void> {
  const [from, to] = await Promise.all([handles.from, handles.to].map((name) => page.getByRole('button', { name }).boundingBox()))
  if (!from || !to) throw new Error(`There are no handles ${handles.from} and ${handles.to}`)
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 12 })
  await page.mouse.up()
}
