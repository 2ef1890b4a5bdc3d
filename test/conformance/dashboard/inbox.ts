import type { Flow } from './stage.ts'

export const inboxFlows: readonly Flow[] = [
  {
    name: 'an empty inbox says what to do next',
    run: async ({ page, open, check }) => {
      await open('inbox')
      await page.getByRole('heading', { name: 'Inbox' }).waitFor()
      await check('empty inbox')
    },
  },
]
