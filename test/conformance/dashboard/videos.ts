import { equal } from 'node:assert/strict'
import { recording } from '../../support/videos.ts'
import type { Flow } from './fixture.ts'

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
      await page.getByText('Ready').and(page.locator('.tag')).waitFor({ timeout: 40_000 })
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
]
