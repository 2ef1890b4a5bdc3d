import { equal, ok } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recording } from '../../support/videos.ts'
import type { Flow } from './fixture.ts'

/** Longer than the first part that is sent. */
const PADDING_BYTES = 1_600_000

/** A recording with an element that players skip (RFC 8794 §11.3.2, "Void"). */
async function longRecording(): Promise<Buffer> {
  const head = Buffer.alloc(9)
  head.writeBigUInt64BE((1n << 56n) | BigInt(PADDING_BYTES), 1)
  head[0] = 0xec
  return Buffer.concat([await recording(), head, Buffer.alloc(PADDING_BYTES)])
}

export const videoFlows: readonly Flow[] = [
  {
    name: 'videos: a member uploads one, watches it, adds captions and deletes it',
    run: async ({ page, open, check, client, team, project }) => {
      const ref = { team_id: team.id, project_id: project.id }
      await open('videos')
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor()
      await check('no videos')
      await page.getByRole('button', { name: 'Upload a video' }).click()
      const form = page.getByRole('dialog', { name: 'Upload a video' })
      await form.getByLabel('Video file').setInputFiles({ name: 'clip.webm', mimeType: 'video/webm', buffer: await recording() })
      await form.getByLabel('Who speaks').fill('Ada Lovelace')
      await form.getByLabel('The person agreed to publication').check()
      await check('an upload')
      await form.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByText('Uploaded. It is in the inbox').waitFor()
      await page.getByText('Ready').and(page.locator('.tag')).waitFor({ timeout: 100_000 })
      await check('a ready video')
      await page.getByRole('link', { name: 'Ada Lovelace' }).click()
      const opened = page.getByRole('dialog', { name: 'Ada Lovelace' })
      await opened.getByRole('link', { name: 'Open in the inbox' }).waitFor()
      await page.evaluate("document.querySelector('dialog video').play()")
      await opened.getByRole('button', { name: 'Add captions' }).click()
      await opened.getByRole('textbox', { name: 'Captions' }).fill('WEBVTT\n\n00:00.000 --> 00:01.000\nSaved us a week.\n')
      await opened.getByRole('button', { name: 'Add the captions' }).click()
      await opened.getByRole('button', { name: 'Delete the captions English' }).waitFor()
      await check('a video with captions')
      const [video] = (await client.videos.list(ref)).results
      equal(video?.captions[0]?.language, 'en')
      equal((await client.submissions.retrieve({ ...ref, submission_id: video?.draft.submission_id ?? '' })).author.name, 'Ada Lovelace')
      await opened.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('dialog', { name: 'Delete this video?' }).getByRole('button', { name: 'Delete the video' }).click()
      await page.getByRole('heading', { name: 'No videos yet' }).waitFor()
      equal((await client.videos.list(ref)).results.length, 0)
    },
  },
  {
    name: 'videos: an upload that was interrupted goes on after a reload with the same file, or is removed',
    run: async ({ page, open, check, client, team, project, forgive }) => {
      const ref = { team_id: team.id, project_id: project.id }
      const folder = await mkdtemp(join(tmpdir(), 'earshot-upload-'))
      try {
        const path = join(folder, 'talk.webm')
        await writeFile(path, await longRecording())
        const offsets: number[] = []
        // The first part arrives, and then the connection is lost.
        await page.route('**/uploads/**', async (route) => {
          const isPatch = route.request().method() === 'PATCH'
          const offset = Number(route.request().headers()['upload-offset'])
          if (isPatch && offset > 0) return route.abort()
          if (isPatch) offsets.push(offset)
          return route.continue()
        })
        const form = page.getByRole('dialog', { name: 'Upload a video' })
        await open('videos?view=upload')
        await form.getByLabel('Video file').setInputFiles(path)
        await form.getByLabel('Who speaks').fill('Ada Lovelace')
        await form.getByRole('button', { name: 'Upload', exact: true }).click()
        await form.getByText('The connection was lost.').waitFor()
        page.on('dialog', (question) => void question.accept())
        await page.goto(page.url().replace(/\?.*/, ''))
        forgive('net::ERR_FAILED')
        await page.unroute('**/uploads/**')
        await page.getByText('The upload of talk.webm was interrupted.').waitFor()
        await page.getByText(/MB of .* have arrived/).waitFor()
        await check('an upload that was interrupted')
        page.on('request', (request) => request.method() === 'PATCH' && offsets.push(Number(request.headers()['upload-offset'] ?? -1)))
        await page.getByRole('link', { name: 'Go on with the upload' }).click()
        equal(await form.getByLabel('Who speaks').inputValue(), 'Ada Lovelace')
        await form.getByText(/^Choose talk\.webm/).waitFor()
        await form.getByLabel('Video file').setInputFiles(path)
        await form.getByText('The upload goes on where it stopped.').waitFor()
        await check('the file of an upload that was interrupted')
        await form.getByRole('button', { name: 'Upload', exact: true }).click()
        await page.getByText('Uploaded. It is in the inbox').waitFor()
        equal(offsets[0], 0)
        ok(
          offsets.slice(1).every((offset) => offset !== 0),
          `Sent from the beginning: ${offsets}`,
        )
        await page.getByText('Ready').and(page.locator('.tag')).waitFor({ timeout: 100_000 })
        equal(await page.getByText('was interrupted').count(), 0)
        equal((await client.videos.list(ref)).results.length, 1)
      } finally {
        await rm(folder, { recursive: true })
      }
    },
  },
]
