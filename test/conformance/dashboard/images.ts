import { expect } from 'vitest'
import { drawPng, file, startImageSite } from '../../support/image-site.ts'
import { until } from '../../support/until.ts'
import type { Flow } from './fixture.ts'

const PATIENCE = { timeout: 45_000 }

/** Logos and faces, as the copies that the service keeps. */
export const imageFlows: readonly Flow[] = [
  {
    name: 'images: a logo is shown as visitors see it, or why it cannot be',
    async run({ page, open, check, client, team, project, complaints }) {
      await using site = await startImageSite({
        '/huge.png': file('image/png', Buffer.alloc(6_000_000)),
        '/logo.png': file('image/png', drawPng(400, 100)),
      })
      const ref = { team_id: team.id, project_id: project.id }
      const save = async (address: string) => {
        await page.getByLabel('Logo', { exact: true }).fill(address)
        await page.getByRole('button', { name: 'Save changes' }).last().click()
      }
      await open('settings')
      await save(`${site.url}/huge.png`)
      await page.getByText('The logo is being copied…').waitFor()
      await page.getByText('The logo could not be loaded. The image is larger than 5 MB.').waitFor(PATIENCE)
      await check('a logo that failed')
      await page.getByRole('button', { name: 'Try again' }).click()
      await until('it was asked for again', () => site.requests.length >= 2, PATIENCE.timeout)

      await save(`${site.url}/logo.png`)
      const shown = page.getByRole('img', { name: 'The logo, as visitors see it' })
      await shown.waitFor(PATIENCE)
      await check('a logo that is shown')
      const { theme } = await client.projects.retrieve(ref)
      expect(theme.logo).toMatchObject({ state: 'ready', error: null })
      expect(theme.logo?.url).toContain(await shown.getAttribute('src'))
      expect(complaints).toEqual([])
    },
  },
  {
    name: 'images: the face of an author is shown once the words are public',
    async run({ url, page, open, client, team, project }) {
      await using site = await startImageSite({ '/ada.png': file('image/png', drawPng(80, 80)) })
      const ref = { team_id: team.id, project_id: project.id }
      const author = { name: 'Ada Lovelace', avatar_url: `${site.url}/ada.png` }
      const { id } = await client.testimonials.create({ ...ref, body: 'It computes.', author, consent: { granted: true } })
      const face = page.locator('.face', { hasText: 'AL' }).first()
      await open('testimonials')
      await face.waitFor()
      expect(await face.locator('img').count()).toBe(0)
      expect(site.requests).toEqual([])

      await client.submissions.approve({ ...ref, submission_id: id })
      const address = `${url}/media/v1/images/${team.id}/${id}`
      await until('the picture is copied', async () => (await fetch(address)).status === 200, PATIENCE.timeout, 250)
      await page.reload()
      const picture = face.locator('img')
      expect(await picture.getAttribute('referrerpolicy')).toBe('no-referrer')
      await picture.waitFor()
      expect(await picture.getAttribute('src')).toBe(`/media/v1/images/${team.id}/${id}`)
    },
  },
  {
    name: 'images: a picture that is copied after the approval is shown without a reload',
    async run({ page, open, client, team, project }) {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      // The other site takes its time, so that the list asks before there is a copy.
      await using site = await startImageSite({
        '/ada.png': (request, response) => void released.then(() => file('image/png', drawPng(80, 80))(request, response)),
      })
      const ref = { team_id: team.id, project_id: project.id }
      const author = { name: 'Ada Lovelace', avatar_url: `${site.url}/ada.png` }
      const { id } = await client.submissions.create({ ...ref, kind: 'text', body: 'It computes.', author, consent: { granted: true } })
      const answers: number[] = []
      page.on('response', (response) => {
        if (new URL(response.url()).pathname === `/media/v1/images/${team.id}/${id}`) answers.push(response.status())
      })
      await open('inbox?state=approved')
      await page.getByText('Live', { exact: true }).waitFor()
      await client.submissions.approve({ ...ref, submission_id: id })
      await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor()
      await until('the list has asked for the picture in vain', () => answers.length > 1, 20_000)
      expect(new Set(answers)).toEqual(new Set([202]))

      release()
      const width = `[...document.querySelectorAll('.face img')].reduce((most, { naturalWidth }) => Math.max(most, naturalWidth), 0)`
      await until('the face is shown', async () => (await page.evaluate<number>(width)) > 1, PATIENCE.timeout, 250)
      expect(answers.at(-1)).toBe(200)
    },
  },
]
