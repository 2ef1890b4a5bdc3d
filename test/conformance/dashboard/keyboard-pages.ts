import { deepEqual, equal } from 'node:assert/strict'
import { until } from '../../support/until.ts'
import { recording } from '../../support/videos.ts'
import type { Fixture, Flow } from './fixture.ts'
import { keysOf } from './keys.ts'

const refOf = ({ team, project }: Fixture) => ({ team_id: team.id, project_id: project.id })

/** Leaves words of these people. */
async function leaveWords(fixture: Fixture, names: readonly string[]) {
  const made = names.map((name) => fixture.client.submissions.create({ ...refOf(fixture), body: `Words of ${name}`, author: { name } }))
  return Promise.all(made)
}

export const keyboardPageFlows: readonly Flow[] = [
  {
    name: 'keys alone: a video is uploaded, played, gets captions and is deleted',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { enter, isAt, press, tabTo, write } = keysOf(page)
      const listed = async () => (await client.videos.list(refOf(fixture))).results
      await open('videos')
      // Asked for early: Chromium is told to hand it over, which takes a moment.
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor()
      await enter('Upload a video')
      await isAt('Video file')
      await press('Escape')
      await isAt('Upload a video')
      await press('Enter')
      await isAt('Video file')
      await press('Enter')
      await (await chooser).setFiles({ name: 'clip.webm', mimeType: 'video/webm', buffer: await recording() })
      await write('Who speaks', 'Ada Lovelace')
      await tabTo('The person agreed to publication')
      await press('Space')
      await enter('Upload')
      await isAt('Upload a video')
      await page.getByText('Ready').and(page.locator('.tag')).waitFor({ timeout: 100_000 })
      await enter('Ada Lovelace')
      const opened = page.getByRole('dialog', { name: 'Ada Lovelace' })
      const video = (expression: string) => page.evaluate<number | boolean>(`document.querySelector('dialog video').${expression}`)
      // The clip is short: it must not end before it is paused.
      await video('loop = true')
      await tabTo('Video')
      // Its controls are there a moment after it.
      await page.waitForTimeout(500)
      await press('Space')
      await until('it plays', async () => Number(await video('currentTime')) > 0)
      await press('Space')
      await until('it pauses', async () => (await video('paused')) === true)
      await enter('Add captions')
      await tabTo('Language')
      await write('File', '')
      await page.keyboard.press('Tab')
      await write('Captions', 'WEBVTT\n\n00:00.000 --> 00:01.000\nSaved us a week.\n')
      await enter('Add the captions')
      await opened.getByRole('button', { name: 'Delete the captions English' }).waitFor()
      await press('Tab')
      equal((await listed())[0]?.captions[0]?.language, 'en')
      await enter('Delete the captions English')
      await isAt('Cancel')
      await press('Escape')
      await isAt('Delete the captions English')
      await enter('Delete')
      await enter('Delete the video')
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor()
      await press('Tab')
      deepEqual(await listed(), [])
    },
  },
  {
    name: 'keys alone: a person is exported and erased',
    run: async (fixture) => {
      const { page, open, client, team } = fixture
      const { enter, isAt, press, tabTo, write } = keysOf(page)
      const email = 'ada@example.com'
      await client.submissions.create({ ...refOf(fixture), body: 'Words of Ada', author: { name: 'Ada', email } })
      await open('-/privacy')
      await page.getByRole('form', { name: 'Export' }).waitFor()
      await write('E-mail address', email)
      await Promise.all([page.waitForEvent('download'), enter('Export')])
      await page.getByText('saved as a file').waitFor()
      await write('E-mail address', email)
      await enter('Erase…')
      await isAt('Type the e-mail address again')
      await press('Escape')
      await isAt('Erase…')
      await press('Enter')
      await write('Type the e-mail address again', email)
      await enter('Erase for good')
      const receipt = page.getByRole('dialog', { name: 'Erasure' })
      await receipt.getByText('Completed').waitFor()
      await tabTo('Download the receipt')
      await Promise.all([page.waitForEvent('download'), press('Enter')])
      await press('Escape')
      await receipt.waitFor({ state: 'detached' })
      await press('Tab')
      await enter(/^Erasure/)
      await receipt.waitFor()
      await press('Escape')
      await isAt(/^Erasure/)
      deepEqual((await client.submissions.list(refOf(fixture))).results, [])
      const { results } = await client.privacy.requests.list({ team_id: team.id })
      deepEqual(
        results.map(({ kind }) => kind),
        ['erase', 'export'],
      )
    },
  },
  {
    name: 'keys alone: events are read and expunged, and types are looked up',
    run: async (fixture) => {
      const { page, open, client, team } = fixture
      const { enter, isAt, press, tabTo } = keysOf(page)
      const feed = async () => (await client.events.list({ team_id: team.id })).results
      await leaveWords(fixture, ['Ada', 'Ben'])
      const rows = page.getByRole('link', { name: /^submission\.created/ })
      const panel = page.getByRole('region', { name: 'Event', exact: true })
      await open('-/events')
      await rows.nth(1).waitFor()
      const [newest, older] = (await feed()).toReversed().map(({ id }) => id)
      await enter(new RegExp(String(newest)))
      await isAt('submission.created')
      await press('Escape')
      await isAt(new RegExp(String(newest)))
      await press('Tab')
      await isAt(new RegExp(String(older)))
      await press('Enter')
      await panel.getByText(String(older)).first().waitFor()
      await enter('Expunge the event')
      await isAt('Cancel')
      await press('Escape')
      await isAt('Expunge the event')
      await press('Enter')
      await enter('Expunge the event')
      await panel.waitFor({ state: 'detached' })
      await press('Tab')
      deepEqual(
        (await feed()).map(({ id }) => id),
        [newest],
      )
      await tabTo('Type', 'back')
      await press('ArrowDown')
      await page.waitForURL(/type=/)
      await isAt('Type')
      await press('ArrowUp')
      await rows.waitFor()
      await enter('Pause')
      await isAt('Resume')
      await press('Enter')
      await isAt('Pause')
      await enter('Types')
      await page.getByRole('region', { name: 'Types of events' }).waitFor()
      await enter(/^submission\.approved/)
      await page.getByRole('figure', { name: 'Example of submission.approved' }).waitFor()
      await tabTo('Feed', 'back')
    },
  },
  {
    name: 'keys alone: the audit log is filtered, and usage leads to the members',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { enter, isAt, press, tabTo } = keysOf(page)
      await client.projects.update({ ...refOf(fixture), name: 'Shop' })
      await open('-/audit-log')
      const renamed = page.getByRole('article').filter({ hasText: 'Project updated' })
      await renamed.waitFor()
      await tabTo('Action')
      await page.keyboard.type('Project created')
      await renamed.waitFor({ state: 'detached' })
      await isAt('Action')
      await enter('Clear filters')
      await renamed.waitFor()
      await press('Tab')
      await open('-/usage')
      await page.getByRole('heading', { name: 'Projects' }).waitFor()
      await enter('Members and invitations')
      await isAt('Members')
    },
  },
  {
    name: 'keys alone: a team is renamed and not deleted, and an export is chosen',
    run: async (fixture) => {
      const { page, open, client, team } = fixture
      const { enter, isAt, press, tabTo, write } = keysOf(page)
      await open('-/settings')
      await page.getByRole('heading', { name: 'Team settings' }).waitFor()
      await write('Name', 'Compilers & Sons')
      await enter('Save changes')
      await until('it is renamed', async () => (await client.teams.retrieve({ team_id: team.id })).name === 'Compilers & Sons')
      await write('Language', 'de')
      await enter('Discard')
      await page.getByText('Not saved yet').waitFor({ state: 'detached' })
      await press('Tab')
      await enter('Delete team')
      await page.getByRole('dialog', { name: 'Delete Compilers & Sons?' }).waitFor()
      await page.keyboard.type('compilers & sons')
      await enter('Cancel')
      await isAt('Delete team')
      equal((await client.teams.retrieve({ team_id: team.id })).settings.locale, 'en')
      await open('imports')
      await page.getByRole('link', { name: 'CSV of submissions' }).waitFor()
      await tabTo('State')
      await press('ArrowDown')
      await press('ArrowDown')
      await tabTo('NDJSON of submissions')
      const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
      equal(new URL(download.url()).searchParams.get('state'), 'approved')
    },
  },
  {
    name: 'keys alone: words are opened beside their list, and a page has the focus on its heading',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { enter, isAt, press } = keysOf(page)
      for (const name of ['Ada', 'Ben'])
        await client.testimonials.create({ ...refOf(fixture), body: `Words of ${name}`, author: { name }, consent: { granted: true } })
      await client.widgets.create({ ...refOf(fixture), name: 'Home page', layout: 'wall' })
      await open('testimonials')
      await page.getByRole('link', { name: 'Ada' }).waitFor()
      await enter('Ada')
      await isAt('Open words')
      await page.getByRole('heading', { level: 2, name: 'Ada' }).waitFor()
      await press('Escape')
      await isAt('Ada')
      await open('widgets')
      await page.getByRole('link', { name: 'Home page' }).waitFor()
      await enter('Home page')
      await isAt('Home page')
      await page.locator('h1:focus').waitFor()
      await enter('All widgets')
      await page.locator('h1:focus', { hasText: 'Widgets' }).waitFor()
    },
  },
  {
    name: 'keys alone: tags are renamed and deleted, and the next line has the focus',
    run: async (fixture) => {
      const { page, open, client } = fixture
      const { enter, isAt, press, write } = keysOf(page)
      const [only] = await leaveWords(fixture, ['Ada'])
      await client.submissions.update({ ...refOf(fixture), submission_id: only?.id ?? '', tags: ['api', 'docs', 'setup'] })
      const listed = async () => (await client.tags.list(refOf(fixture))).results.map(({ tag }) => tag)
      await open('tags')
      await page.getByRole('link', { name: 'Rename api' }).waitFor()
      await enter('Rename api')
      await isAt('New name')
      await press('Escape')
      await isAt('Rename api')
      await press('Enter')
      await write('New name', 'apis')
      await press('Enter')
      await page.getByRole('cell', { name: 'apis', exact: true }).waitFor()
      await isAt('docs')
      await enter('Delete docs')
      await enter('Delete')
      await isAt('setup')
      deepEqual(await listed(), ['apis', 'setup'])
      await enter('Delete setup')
      await enter('Delete')
      await isAt('apis')
      await enter('Delete apis')
      await enter('Delete')
      await page.getByRole('heading', { name: 'No tags yet' }).waitFor()
      await press('Tab')
      deepEqual(await listed(), [])
    },
  },
]
