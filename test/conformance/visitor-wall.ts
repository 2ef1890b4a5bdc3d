import { PHONE, type Visited, type Visitors, WIDE } from './visitor-browser.ts'

const WORDS = 'Our auditor smiled, which I had not seen before.'

/** Reads public words on the page of a wall, on a phone in the dark and on a wide screen in the light. */
export async function checkWallPage({ visitor, accessible, require }: Visitors, { service, team }: Visited): Promise<void> {
  const client = service.client(team.token)
  const author = { name: 'Kwame Mensah', title: 'Founder' }
  const { id } = await client.testimonials.create({ ...team.project, body: WORDS, author, rating: 5, consent: { granted: true } })
  await client.submissions.approve({ ...team.project, submission_id: id })
  const widget = await client.widgets.create({ ...team.project, name: 'Wall', layout: 'wall' })
  for (const look of [{ ...PHONE, colorScheme: 'dark' } as const, { ...WIDE, colorScheme: 'light' } as const]) {
    const { context, page } = await visitor({ ...look, locale: 'en' })
    await page.goto(`${service.url}/w/${widget.id}`)
    await page.getByText(WORDS).waitFor()
    const name = `wall (${look.colorScheme}, ${look.viewport.width} px)`
    await accessible(page, name)
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    require(`${name}: the page is ${width} px wide`, width <= look.viewport.width)
    await context.close()
  }
}
