import { createHash, randomBytes } from 'node:crypto'
import { setTeamPlan } from '@earshot/db'
import { createSecretBox } from '@earshot/drivers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linkTime } from '../../server/src/http/link-time.ts'
import { mediaLinks } from '../../server/src/media/links.ts'
import { getMedia } from '../support/media.ts'
import { makeTeam, type Team } from '../support/people.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { finishVideo, here, makeReadyVideo, uploadTo } from '../support/videos.ts'

const CLIP = Buffer.from('a clip')
const author = { name: 'Ada Lovelace' }

let service: TestService
let team: Team
let ref: Awaited<ReturnType<typeof makeReadyVideo>>
/** The clip as the owner sees it. */
let url: string
beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  team = await makeTeam(service.database)
  ref = await makeReadyVideo(service, team, { clip: CLIP, draft: { author, consent: { granted: true } } })
  url = await linkOf(team.token)
})
afterAll(() => service.close())

describe('a link that was altered is 404', () => {
  test('at any part of it', async () => {
    const other = await makeReadyVideo(service, team, { clip: CLIP })
    const another = await makeTeam(service.database)
    const [credential] = await service.database.run<{ id: string }>('select id from credentials where user_id = $1', [another.ownerId])
    const { pathname, searchParams } = new URL(url)
    const [, , , team_id = '', project_id = '', video_id = '', attempt] = pathname.split('/')
    const until = Number(searchParams.get('until'))
    const sig = searchParams.get('sig') ?? ''
    const altered: Record<string, string> = {
      team: url.replace(team_id, another.id),
      project: url.replace(project_id, another.project.project_id),
      video: url.replace(video_id, other.video_id),
      'a video that is no id': url.replace(video_id, 'x'),
      'the id in capitals': url.replace(video_id, video_id.toUpperCase()),
      'another attempt': url.replace(`/${attempt}/`, `/${Number(attempt) + 1}/`),
      'the attempt with a zero': url.replace(`/${attempt}/`, `/0${attempt}/`),
      'the attempt with an exponent': url.replace(`/${attempt}/`, `/${attempt}e0/`),
      'another file': url.replace('clip.mp4', 'poster.jpg'),
      'captions instead': url.replace('clip.mp4', `${video_id}.vtt`),
      'a file that is none': url.replace('clip.mp4', 'original'),
      'a path upwards': url.replace('clip.mp4', '..%2fclip.mp4'),
      'a later end': replaced({ until: String(until + 1) }),
      'an end with a fraction': replaced({ until: `${until}.0` }),
      'no end': replaced({ until: null }),
      'an end that is no number': replaced({ until: 'never' }),
      'another holder': replaced({ for: credential?.id ?? '' }),
      'everybody instead of its holder': replaced({ for: null }),
      'a holder that is no id': replaced({ for: '1' }),
      'a letter of the signature': replaced({ sig: (sig.startsWith('A') ? 'B' : 'A') + sig.slice(1) }),
      'a shorter signature': replaced({ sig: sig.slice(0, -1) }),
      'a longer signature': replaced({ sig: `${sig}A` }),
      'padding after the signature': replaced({ sig: `${sig}=` }),
      'an empty signature': replaced({ sig: '' }),
      'no signature': replaced({ sig: null }),
      'two signatures': `${url}&sig=${sig}`,
      'another parameter': `${url}&download=1`,
      'nothing but the path': url.split('?')[0] ?? '',
    }
    for (const [what, address] of Object.entries(altered)) {
      expect(address).not.toBe(url)
      const { status, headers, bytes } = await getMedia(address, { 'if-none-match': '*' })
      expect([what, status, JSON.parse(bytes.toString()).code]).toEqual([what, 404, 'not_found'])
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
    }
    expect((await getMedia(url)).status).toBe(200)
  })

  test('by the key: that of another service signs nothing here', async () => {
    const credentialId = new URL(url).searchParams.get('for') ?? ''
    const signer = { secretBox: createSecretBox(randomBytes(32)), baseUrl: service.url }
    expect((await getMedia(mediaLinks(signer, { ...ref, attempt: 1 }, { credentialId }).clip)).status).toBe(404)
  })

  test('by the attempt: a link of an older transcode is over, though it was signed', async () => {
    const credentialId = new URL(url).searchParams.get('for') ?? ''
    const signer = { secretBox: service.secretBox, baseUrl: service.url }
    const statusOf = async (attempt: number) => (await getMedia(mediaLinks(signer, { ...ref, attempt }, { credentialId }).clip)).status
    expect([await statusOf(1), await statusOf(2)]).toEqual([200, 404])
  })

  test('by its time: it ends within an hour and a half, and a link of the past is over', async () => {
    const credentialId = new URL(url).searchParams.get('for') ?? ''
    const { searchParams } = new URL(url)
    expect(Number(searchParams.get('until'))).toBe(linkTime(Date.now()))
    const signer = { secretBox: service.secretBox, baseUrl: service.url }
    const video = { ...ref, attempt: 1 }
    const linkUntil = (until: number) => mediaLinks(signer, video, { credentialId }, until).clip
    const now = Math.floor(Date.now() / 1000)
    expect((await getMedia(linkUntil(now + 60))).status).toBe(200)
    for (const until of [now - 1, now - 3_600, 1]) expect([until, (await getMedia(linkUntil(until))).status]).toEqual([until, 404])
  })
})

describe('a member’s link works no longer', () => {
  const ends: Record<string, (token: string) => Promise<unknown>> = {
    'when its token is revoked': (token) => change('update credentials set revoked_at = now() where hash = $1', token),
    'when its token expires': (token) => change("update credentials set expires_at = now() - interval '1 second' where hash = $1", token),
    'when its user is disabled': (token) =>
      change('update users set disabled_at = now() where id = (select user_id from credentials where hash = $1)', token),
    'when its user leaves the team': async (token) => {
      const { user } = await service.client(token).me.retrieve()
      await service.client(team.token).members.delete({ team_id: team.id, user_id: user.id })
    },
    'when the team’s plan loses API access': () => setTeamPlan(service.database, { team_id: team.id, plan: 'free' }),
    'when the project is deleted': () => service.client(team.token).projects.delete(team.project),
    'when the team is deleted': () => service.client(team.token).teams.delete({ team_id: team.id }),
    'when the video is deleted': () => service.client(team.token).videos.delete(ref),
  }
  test.for(Object.entries(ends))('%s', async ([_what, end]) => {
    const token = await team.tokenOf('viewer')
    const link = await linkOf(token)
    const { status, headers } = await getMedia(link)
    expect(status).toBe(200)
    await end(token)
    expect((await getMedia(link)).status).toBe(404)
    // Who has the clip already learns nothing more.
    expect((await getMedia(link, { 'if-none-match': headers.etag ?? '' })).status).toBe(404)
    expect((await getMedia(link, {}, 'HEAD')).status).toBe(404)
  })

  test('and that of another member goes on', async () => {
    const token = await team.tokenOf('viewer')
    const link = await linkOf(token)
    await change('update credentials set revoked_at = now() where hash = $1', token)
    expect([(await getMedia(link)).status, (await getMedia(url)).status]).toEqual([404, 200])
  })
})

describe('a public link', () => {
  test('works while the submission is approved and consented, and the private one meanwhile and after', async () => {
    const client = service.client(team.token)
    const submission_id = await submit()
    const submission = { ...team.project, submission_id }
    expect(await listed()).toBeNull()
    await client.submissions.approve(submission)
    const link = await listed()
    const { status, headers } = await getMedia(link ?? '')
    expect([status, headers['cache-control']]).toEqual([200, 'no-cache'])
    const known = { 'if-none-match': headers.etag ?? '' }
    expect((await getMedia(link ?? '', known)).status).toBe(304)
    await client.submissions.reject({ ...submission, expected_state: 'approved' })
    for (const sent of [{}, known]) expect((await getMedia(link ?? '', sent)).status).toBe(404)
    await client.submissions.approve({ ...submission, expected_state: 'rejected' })
    expect((await getMedia(link ?? '', known)).status).toBe(304)
    expect(await listed()).toBe(link)
    await client.submissions.delete(submission)
    for (const sent of [{}, known]) expect((await getMedia(link ?? '', sent)).status).toBe(404)
  })

  test.for([
    ['the consent is withdrawn', 'revoke'],
    ['the video is deleted', 'video'],
    ['the project is deleted', 'project'],
    ['the team is deleted', 'team'],
  ] as const)('is over once %s', async ([_what, end]) => {
    const client = service.client(team.token)
    const visitor = service.client()
    const mine = await uploadAsVisitor()
    const { submission } = await visitor.public.drafts.submit(mine)
    await client.submissions.approve({ ...team.project, submission_id: submission?.id ?? '' })
    const link = (await listed()) ?? ''
    const poster = link.replace('clip.mp4', 'poster.jpg')
    expect([(await getMedia(link)).status, (await getMedia(poster)).status]).toEqual([200, 404])
    if (end === 'revoke') await visitor.public.consent.revoke({ revoke_token: submission?.revoke_token ?? '' })
    if (end === 'video') await client.videos.delete({ ...team.project, video_id: mine.video_id })
    if (end === 'project') await client.projects.delete(team.project)
    if (end === 'team') await client.teams.delete({ team_id: team.id })
    expect((await getMedia(link)).status).toBe(404)
  })

  test('is not to be made of a member’s by leaving out the holder, nor of a private video’s', async () => {
    const link = mediaLinks({ secretBox: service.secretBox, baseUrl: service.url }, { ...ref, attempt: 1 }, 'public').clip
    expect((await getMedia(link)).status).toBe(404)
  })
})

function replaced(parameters: Record<string, string | null>): string {
  const address = new URL(url)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) address.searchParams.delete(name)
    else address.searchParams.set(name, value)
  }
  return address.href
}

async function linkOf(token: string): Promise<string> {
  return here(service, (await service.client(token).videos.retrieve(ref)).playback_url)
}

/** The public clip, if one is listed. */
async function listed(): Promise<string | null> {
  const { results } = await service.client().public.items.list({ public_key: team.publicKey })
  const [item] = results
  return item?.video ? here(service, item.video.playback_url) : null
}

/** Uploads a video as a visitor, who consents, and makes it ready. */
async function uploadAsVisitor() {
  const visitor = service.client()
  const file = { file_name: 'clip.webm', content_type: 'video/webm', size_bytes: 8 }
  const draft = { author, consent: { granted: true } }
  const { id, upload } = await visitor.public.uploads.reserve({ public_key: team.publicKey, ...file, draft })
  const mine = { video_id: id, upload_token: upload.token }
  await uploadTo(service, { id, token: upload.token }, Buffer.from('original'))
  await visitor.public.uploads.complete(mine)
  await finishVideo(service, mine, { clip: CLIP })
  return mine
}

async function submit(): Promise<string> {
  const { submission_id } = await service.client(team.token).videos.draft.submit(ref)
  return submission_id ?? ''
}

/** Changes the row of a token. */
async function change(text: string, token: string): Promise<void> {
  await service.database.run(text, [createHash('sha256').update(token).digest()])
}
