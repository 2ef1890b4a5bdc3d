import type { Client } from '@earshot/contracts/client'
import type { Browser } from 'playwright-core'
import { makeDataDir } from '../support/data-dir.ts'
import { freePort } from '../support/free-port.ts'
import { drawPng, file, startImageSite } from '../support/image-site.ts'
import type { Team } from '../support/people.ts'
import { startService } from '../support/service-process.ts'
import { until } from '../support/until.ts'
import { recording, untilState, uploadVideo } from '../support/videos.ts'
import type { EmbedHost } from './embed-host.ts'

type NewItem = Omit<Parameters<Client['testimonials']['create']>[0], 'team_id' | 'project_id' | 'consent'>

/** What could break a page: piles of marks, directions that are not closed, words without a space, markup and scripts. */
const HOSTILE = {
  marks: `Z${'\u0336\u0353\u0349'.repeat(3_300)}algo`,
  direction: '\u202Eevom tsum siht gnihtoN\u2067',
  markup: '<img src=x onerror="document.title=\'hacked\'"></script><script>document.title="hacked"</script>',
  emoji: '🫶🏽👩‍👩‍👧‍👦'.repeat(12),
  // Thousands of pixels without a place to break at.
  families: '👩‍👩‍👧‍👦'.repeat(400),
}

const ITEMS: NewItem[] = [
  { body: HOSTILE.marks, author: { name: `M${'\u0334'.repeat(150)}`, company: HOSTILE.direction }, rating: 3 },
  {
    body: HOSTILE.markup + HOSTILE.families,
    title: HOSTILE.emoji,
    author: { name: HOSTILE.direction, title: HOSTILE.markup.slice(0, 100) },
    rating: 1,
  },
  {
    body: 'ユーザーの声が一か所に集まるので、週次の会議がとても楽になりました。',
    author: { name: '山田太郎', company: '株式会社みどり' },
    rating: 5,
  },
  {
    body: 'They tap five stars, talk to the camera for half a minute and close the tab. That is all I ever wanted.',
    title: 'My customers are not technical',
    author: { name: 'Chloé Martin', company: 'Atelier Martin' },
    rating: 5,
  },
  {
    body: 'Nothing shouts. My clients leave two lines on their phone while they wait for the train.',
    author: { name: 'Mei Tanaka', title: 'Design lead', company: 'Kumo' },
    rating: 4,
  },
  { body: 'كل شيء يعمل كما وُعد، والفريق يجيب بسرعة.', author: { name: 'Ibrahim Haddad', company: 'Cedar' }, rating: 5 },
  {
    body: `We moved eleven years of quotes over in an afternoon. ${'What I did not expect was how often the rest of the company would read them. '.repeat(8)}`.trim(),
    author: { name: 'Grace Okafor', title: 'VP Marketing', company: 'Lumen' },
    rating: 5,
    tags: ['launch'],
  },
  {
    body: 'Our receiver was down for an hour on launch day. Afterwards every event was there, signed, exactly once in our table.',
    author: { name: 'Lucía Fernández', title: 'CTO', company: 'Solvia', website_url: 'https://solvia.example/' },
    rating: 5,
  },
  {
    body: 'Our conversion went up by a fifth when the wall went live.',
    title: 'I checked three times',
    excerpt: 'went up by a fifth',
    author: { name: 'Sofia Lindqvist', title: 'Growth', company: 'Fjord & Co' },
    rating: 5,
    tags: ['launch'],
  },
  {
    body: 'No containers, no queue to babysit, and the data never leaves our own machines. Our auditor smiled, which I had not seen before.',
    title: 'Two commands',
    excerpt: 'the data never leaves our own machines',
    author: { name: 'Kwame Mensah', title: 'Founder', company: 'Accra Apps' },
    rating: 5,
  },
]

/** Its author has a picture at another site. */
const PICTURED: NewItem = {
  body: 'For two years we argued about what customers meant. Now the whole company reads the same twelve sentences every Monday.',
  featured: true,
  position: 1,
  author: { name: 'Priya Raman', title: 'Head of Product', company: 'Northwind' },
  rating: 5,
}

/** A running service with public words of many kinds, a video among them, and widgets that show them. */
export interface WidgetService extends AsyncDisposable {
  url: string
  publicKey: string
  widgets: { wall: string; carousel: string; badge: string }
  /** Ends the service. */
  stop: () => Promise<void>
}

/** What each check of the elements gets. */
export interface EmbedFixture {
  browser: Browser
  host: EmbedHost
  service: WidgetService
  /** The tag that loads the elements. */
  script: string
}

export async function openWidgetService(): Promise<WidgetService> {
  const port = await freePort()
  const data = makeDataDir()
  await using site = await startImageSite({
    '/logo.png': file('image/png', drawPng(300, 100)),
    '/priya.png': file('image/png', drawPng(300, 300)),
  })
  const service = await startService({ EARSHOT_DATA_DIR: data.path, PORT: String(port), EARSHOT_LOG_LEVEL: 'warn' })
  const dispose = async () => {
    await service[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  }
  try {
    const team = await data.makeTeam()
    const client = service.client(team.token)
    const theme = { logo_url: `${site.url}/logo.png`, color: '#2a7f62' }
    await client.projects.update({ ...team.project, name: 'Northlight', theme })
    for (const item of ITEMS) await publish(client, team, item)
    await publish(client, team, { ...PICTURED, author: { ...PICTURED.author, avatar_url: `${site.url}/priya.png` } })
    await untilPictured(client, team)
    await publishVideo(service, team)
    const create = async (layout: 'wall' | 'carousel' | 'badge') =>
      (await client.widgets.create({ ...team.project, name: layout, layout, theme: { color: '#c8553d' } })).id
    const widgets = { wall: await create('wall'), carousel: await create('carousel'), badge: await create('badge') }
    return {
      ...{ url: `http://localhost:${port}`, publicKey: team.publicKey, widgets },
      stop: async () => void (await service.stop()),
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function publish(client: Client, team: Team, item: NewItem): Promise<void> {
  const { id } = await client.testimonials.create({ ...team.project, ...item, consent: { granted: true } })
  await client.submissions.approve({ ...team.project, submission_id: id })
}

async function publishVideo(service: Parameters<typeof uploadVideo>[0], team: Team): Promise<void> {
  const client = service.client(team.token)
  const draft = {
    ...{ author: { name: 'Jonas Weber', title: 'Owner', company: 'Weber & Söhne' }, rating: 5 },
    ...{ body: 'We were collecting before lunch and approving after it.', consent: { granted: true } },
  }
  const ref = await uploadVideo(service, team, await recording(), { draft })
  await untilState(service, team, ref, 'ready')
  await client.videos.captions.create({
    ...ref,
    language: 'en',
    label: 'English',
    vtt: 'WEBVTT\n\n00:00.000 --> 00:01.000\nWe were collecting before lunch.\n',
  })
  const { submission_id } = await client.videos.draft.submit(ref)
  await client.submissions.approve({ ...team.project, submission_id: submission_id ?? '' })
}

/** Waits for the copies of the picture and of the logo: from then on nobody asks the other site. */
async function untilPictured(client: Client, { project, publicKey }: Team): Promise<void> {
  await until(
    'the picture and the logo are copied',
    async () => {
      const { results } = await client.public.items.list({ public_key: publicKey })
      const { theme } = await client.projects.retrieve(project)
      return theme.logo?.state === 'ready' && results.some(({ author }) => author.avatar_url !== null)
    },
    60_000,
    250,
  )
}
