import type { Video } from '@earshot/contracts'
import { type Client, EarshotApiError, EarshotConnectionError, EarshotTimeoutError, uploadVideoFile } from '@earshot/contracts/client'
import { accountOf } from './account.ts'
import { ExitCode } from './exit-codes.ts'
import { applyFlags } from './flags.ts'
import { follow } from './follow.ts'
import { type Invocation, prepare } from './invoke.ts'
import { operationNamed } from './operation.ts'
import { openOutput } from './output.ts'
import { oneLine, printable } from './printable.ts'
import { startProgress } from './progress.ts'
import { readOutput } from './schema-node.ts'
import { clientOptions } from './service.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { type OpenedVideo, openVideo } from './video-file.ts'
import { openReservation, type Reservation, type ReservationMemory } from './video-reservation.ts'

type ReserveInput = Parameters<Client['videos']['reserve']>[0]

interface Uploader {
  terminal: Terminal
  client: Client
  /** Team and project. */
  place: { team_id: string; project_id: string }
  /** Fields of the reservation. */
  fields: Pick<ReserveInput, 'file_name' | 'content_type' | 'draft'>
  video: OpenedVideo
  memory: ReservationMemory
  signal: AbortSignal
}

/** Uploads a file, completes the video and prints it. Returns the exit code. */
export async function uploadVideo(invocation: Invocation): Promise<number> {
  const { terminal, given, flags, positional = '' } = invocation
  const operation = { ...operationNamed('videos.retrieve'), words: invocation.operation.words }
  const output = await openOutput({ operation, terminal, schema: readOutput(operation), given })
  const video = await openVideo(positional, terminal)
  const { client, input } = await prepare({ ...invocation, flags: [], given: { team: given.team, project: given.project } })
  const place = input as Uploader['place'] // The operation is one of a project.
  const fields = applyFlags({ file_name: video.name, content_type: video.type }, flags, given) as Uploader['fields'] // The service checks them.
  const memory = openReservation(terminal, { url: accountOf(terminal).url, project_id: place.project_id, identity: video.identity })
  const uploader = { terminal, client, place, fields, video, memory, signal: terminal.interruption() }
  const uploaded = await transfer(uploader)
  if (!uploaded) return ExitCode.interrupted
  const ended = given.wait ? await transcoded(uploader, uploaded) : uploaded
  if (!ended) return ExitCode.interrupted
  await output.add(ended)
  await output.end()
  if (ended.state !== 'failed') return ExitCode.success
  const { detail, code } = ended.error ?? {}
  if (!given.json) terminal.writeError(printable(`error: ${detail} (${code})\n`))
  return ExitCode.refused
}

/** Uploads a file and completes its video, from where an earlier run stopped. Returns undefined after Ctrl-C. */
async function transfer(uploader: Uploader): Promise<Video | undefined> {
  const { terminal, memory, signal, video } = uploader
  try {
    return (await resume(uploader)) ?? (await send(uploader, await reserve(uploader)))
  } catch (error) {
    const isReserved = memory.read() !== undefined
    const canResume = signal.aborted || error instanceof EarshotConnectionError || error instanceof EarshotTimeoutError
    if (isReserved && canResume) terminal.writeError('The upload stopped. The same command resumes it.\n')
    if (signal.aborted) return undefined
    if (error instanceof DOMException && error.name === 'NotReadableError')
      throw new UsageError(`${video.name} was changed while it was uploaded`)
    throw error
  }
}

/** Returns undefined if there is nothing to resume. */
async function resume(uploader: Uploader): Promise<Video | undefined> {
  const { client, place, fields, memory, signal } = uploader
  const reservation = memory.read()
  if (!reservation) return undefined
  try {
    if (fields.draft) await client.videos.draft.update({ ...place, video_id: reservation.video_id, ...fields.draft }, { signal })
    return await send(uploader, reservation)
  } catch (error) {
    if (!isGone(error)) throw error
    memory.forget()
    return undefined
  }
}

/** Returns whether an upload was deleted, or has expired. */
function isGone(error: unknown): boolean {
  if (!(error instanceof EarshotApiError)) return false
  return ['not_found', 'upload_expired'].includes(error.code) || error.fields.current_state === 'expired'
}

async function reserve({ terminal, client, place, fields, video, memory, signal }: Uploader): Promise<Reservation> {
  const reserved = await client.videos.reserve({ ...place, ...fields, size_bytes: video.sizeBytes }, { signal })
  try {
    memory.write(reserved)
  } catch (error) {
    terminal.writeError(printable(`This upload cannot be resumed: ${(error as Error).message}\n`))
  }
  return { video_id: reserved.video.id, upload: reserved.upload }
}

async function send(uploader: Uploader, { video_id, upload }: Reservation): Promise<Video> {
  const { client, place, memory, signal } = uploader
  await sendFile(uploader, upload)
  const completed = await client.videos.complete({ ...place, video_id }, { signal })
  memory.forget()
  return completed
}

async function sendFile({ terminal, video, signal }: Uploader, upload: Reservation['upload']): Promise<void> {
  using progress = startProgress(terminal, 'kB uploaded', video.sizeBytes === null ? undefined : kilobytes(video.sizeBytes))
  let isFailing = false
  await uploadVideoFile(clientOptions(terminal), { upload }, video.file, {
    signal,
    onProgress: ({ sentBytes }) => {
      isFailing = false
      progress.show(kilobytes(sentBytes))
    },
    onRetry: ({ message }) => {
      // One line says it until bytes arrive again.
      if (!isFailing) progress.note(oneLine(`${message} Trying again. Press Ctrl-C to stop.`))
      isFailing = true
    },
  })
}

/** Waits until a video is ready or failed. Returns undefined after Ctrl-C, which ends the command and not the transcode. */
async function transcoded({ terminal, client, place, signal }: Uploader, { id: video_id }: Video): Promise<Video | undefined> {
  using progress = startProgress(terminal, '% transcoded', undefined)
  try {
    return await follow(terminal, {
      retrieve: () => client.videos.retrieve({ ...place, video_id }, { signal }),
      isEnded: ({ state }) => state !== 'uploaded' && state !== 'transcoding',
      show: (video) => progress.show(Math.round((video.progress ?? 0) * 100)),
      signal,
    })
  } catch (error) {
    if (!signal.aborted) throw error
    terminal.writeError(`The transcode goes on at the service. To see the video: earshot videos retrieve ${video_id}\n`)
    return undefined
  }
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000)
}
