import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import type { Place } from './place.ts'
import type { Scene } from './scene.ts'
import { visitorScenes } from './visitor-scenes.ts'

type Words = Awaited<ReturnType<typeof leaveWords>>

const teamScenes: readonly Scene[] = [
  {
    name: 'inbox',
    isLook: true,
    run: async ({ browser, see, press }, { url, paths }) => {
      await browser.open(`${url}${paths.project}/inbox`)
      await see('option', 'Giulia Ferri')
      await see('text', 'Live')
      await press('?')
      await see('dialog', 'Keyboard shortcuts')
      await press('Escape')
    },
  },
  {
    name: 'decision',
    run: async ({ browser, see, wait, press }, place) => {
      const { url, paths, client, ref } = place
      const [older, newer] = [await leaveWords(place, `Ada of ${browser.name}`), await leaveWords(place, `Ben of ${browser.name}`)]
      const stateOf = async (submission_id: string) => (await client.submissions.retrieve({ ...ref, submission_id })).state
      const opened = ({ body }: Words) => `document.querySelector('[aria-label="Submission"]')?.innerText.includes(${JSON.stringify(body)})`
      const read = async (words: Words) => {
        await wait(`${words.body} are open`, opened(words))
        // Nobody decides faster.
        await delay(500)
      }
      await browser.open(`${url}${paths.project}/inbox?item=${newer.id}`)
      await read(newer)
      await press('j')
      await wait('another one is open', `!${opened(newer)}`)
      await press('k')
      await read(newer)
      await press('a')
      await see('text', `Approved ${newer.author.name}’s words`)
      await until('the approval is sent', async () => (await stateOf(newer.id)) === 'approved')
      await browser.open(`${url}${paths.project}/inbox?item=${older.id}`)
      await read(older)
      await press('a')
      await see('text', `Approved ${older.author.name}’s words`)
      await browser.open('about:blank')
      await until('the approval is sent when the page is left', async () => (await stateOf(older.id)) === 'approved')
      await browser.open(`${url}${paths.project}/inbox?state=approved`)
      await see('option', older.author.name)
    },
  },
  {
    name: 'testimonial',
    isLook: true,
    run: async ({ browser, see, click }, { url, paths }) => {
      await browser.open(`${url}${paths.project}/testimonials`)
      await click('link', 'Hugo Brandt')
      await see('heading', 'As visitors see it')
    },
  },
  {
    name: 'survey results',
    isLook: true,
    run: async ({ browser, see, wait }, { url, paths }) => {
      await browser.open(`${url}${paths.project}/analytics`)
      await see('text', 'Time to a decision')
      await wait(
        'the chart is as wide as its place',
        `document.querySelector('.chart > svg')?.getBoundingClientRect().width > innerWidth / 2`,
      )
      await browser.open(`${url}${paths.results}`)
      await see('text', 'responses')
      await wait('the gauge is drawn', `document.querySelector('figure.gauge svg')?.getBoundingClientRect().width > 100`)
    },
  },
  {
    name: 'widget',
    run: async ({ browser, see, wait, click, press, type }, { url, paths }) => {
      const cards = "document.querySelector('.widget-preview earshot-wall')?.shadowRoot?.querySelectorAll('.card').length"
      await browser.open(`${url}${paths.widget}`)
      await wait('the preview shows many', `${cards} > 10`)
      await click('field', 'At most')
      await press('Control+a')
      await type('2')
      await wait('the preview shows two', `${cards} === 2`)
      await see('text', 'Put it on your website')
    },
  },
  {
    name: 'builder',
    isLook: true,
    run: async ({ browser, see, click, press }, { url, paths }) => {
      await browser.open(`${url}${paths.results.replace(/results$/, 'edit')}`)
      await click('button', 'Add a question')
      await see('text', 'Long text')
      await press('Escape')
    },
  },
  {
    name: 'webhooks',
    isLook: true,
    run: async ({ browser, see, click }, { url, paths }) => {
      await browser.open(`${url}${paths.team}/webhooks`)
      await click('link', 'Customer records')
      await see('text', 'failed in a row')
      await see('text', 'submission.approved')
    },
  },
  {
    name: 'sessions and tokens',
    isLook: true,
    run: async ({ browser, see }, { url }) => {
      await browser.open(`${url}/accounts/sessions/`)
      await see('heading', 'Sessions')
      await see('text', 'This session')
      await browser.open(`${url}/accounts/tokens/`)
      await see('heading', 'Create a token')
      await see('field', 'Expiration')
    },
  },
  {
    name: 'consent',
    isLook: true,
    run: async ({ browser, see }, { url, paths }) => {
      await browser.open(`${url}/o/device/`)
      await see('heading', 'Connect a device')
      await browser.open(url + paths.consent)
      await see('button', 'Allow')
    },
  },
]

/** All of them, in an order that each person can play: with a session. */
export const scenes: readonly Scene[] = [...teamScenes, ...visitorScenes]

/** Leaves words as a program would. */
async function leaveWords({ client, ref }: Place, name: string) {
  const words = { body: `Words of ${name}`, rating: 5, author: { name, company: 'Acme' }, consent: { granted: true } }
  return client.submissions.create({ ...ref, ...words })
}
