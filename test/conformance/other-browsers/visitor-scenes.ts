import { until } from '../../support/until.ts'
import type { Scene } from './scene.ts'

export const visitorScenes: readonly Scene[] = [
  {
    name: 'words',
    run: async ({ browser, see, press, type, tabTo }, { url, paths, client, ref }) => {
      const words = `Typed in ${browser.name} at ${Date.now()}.`
      await browser.open(url + paths.collection)
      await see('text', 'Record a video')
      await tabTo('1 of 5 stars')
      await press('ArrowRight', 'ArrowRight', 'ArrowRight')
      await tabTo('What changed for you?')
      await type(words)
      await press('Tab')
      await type('Ada Lovelace')
      await press('Tab')
      await type('ada@example.com')
      await tabTo('I agree')
      await press(' ')
      await tabTo('Send')
      await press('Enter')
      await see('heading', 'Thank you, Ada Lovelace.')
      const arrived = async () => (await client.submissions.list(ref)).results.find(({ body }) => body === words)
      await until('the words arrive', async () => Boolean(await arrived()))
      const { rating, consent } = (await arrived()) ?? {}
      if (rating !== 4 || consent?.granted !== true) throw new Error(`${rating} stars arrived, consent ${consent?.granted}`)
    },
  },
  {
    name: 'recorder without a camera',
    isLook: true,
    run: async ({ browser, see, click, wait }, { url, paths }) => {
      await browser.open(url + paths.collection)
      await click('text', 'Record a video')
      await click('button', 'Open the camera')
      await wait('it says why', '/No camera or microphone|cannot record here/.test(document.body.innerText)')
      await see('text', 'Choose a video instead')
    },
  },
  {
    name: 'survey',
    run: async ({ browser, see, press, click, wait }, { url, paths, client, ref, survey_id }) => {
      const count = async () => (await client.surveys.results({ ...ref, survey_id })).responses
      const before = await count()
      await browser.open(url + paths.survey)
      await see('text', 'What do you do?')
      await wait('the script has the survey', "document.querySelector('.survey')?.dataset.move === 'open'")
      await press('c', 'Enter')
      await see('text', 'What do you use every week?')
      await press('a', 'b', 'Enter')
      await see('text', 'How satisfied are you with Northlight?')
      await press('5', 'Enter')
      await see('text', 'May we ask you more?')
      await click('text', 'No')
      await click('button', 'Send')
      await see('text', 'Thank you!')
      await until('the answers arrive', async () => (await count()) > before)
    },
  },
  {
    name: 'wall in a strict page',
    isLook: true,
    isForeign: true,
    run: async ({ browser, see, wait, click }, { url, wall, host }) => {
      const sources = ['script-src', 'connect-src', 'media-src'].map((source) => `${source} ${url}`)
      const policy = [
        "default-src 'none'",
        ...sources,
        // Browsers ask for the icon of the website, too.
        `img-src ${url} ${host.origin}`,
        "style-src 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; ')
      const head = `<script src="${url}/embed.js"></script>`
      await browser.open(host.show({ body: `<earshot-wall widget="${wall}"></earshot-wall>`, head, policy }))
      await see('text', 'Amara Okafor')
      const shadow = "document.querySelector('earshot-wall').shadowRoot"
      await wait('cards stand side by side where there is space', `innerWidth < 500 || ${shadow}.querySelector('.packed')`)
      await click('button', 'Play video of Daniela Souza')
      await wait('the video is there', `${shadow}.querySelector('video')`)
      await wait(
        'the colour is the widget’s',
        `getComputedStyle(${shadow}.querySelector('.earshot')).getPropertyValue('--brand') === '#2457c5'`,
      )
    },
  },
  {
    name: 'wall without script',
    isLook: true,
    run: async ({ browser, see, wait }, { url, paths }) => {
      await browser.open(url + paths.wall)
      await see('heading', 'Northlight Rota')
      await see('text', 'Amara Okafor')
      const tops =
        "[...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect()).filter(({ top }, index, all) => index === 0 || top < all[index - 1].top).map(({ top }) => Math.round(top))"
      await wait('all columns begin at one height', `new Set(${tops}).size === 1`)
    },
  },
]
