import { EarshotApiError, EarshotConnectionError, type UploadFile, uploadImportFile } from '@earshot/contracts/client'
import { describe, expect, test } from 'vitest'
import { type PlayedAnswer, playService, refusal } from '../cli/fake-service.ts'

const PATH = '/api/v1/teams/T/projects/P/imports/I/file/'
const TEXT = 'name,text\nAda,très bien\n'
const BYTES = new TextEncoder().encode(TEXT)
const AT_ONCE = { 'retry-after': '0' }
const uploaded: PlayedAnswer = { json: { id: 'I', state: 'uploaded' } }

const kinds: [string, () => UploadFile][] = [
  ['bytes', () => BYTES],
  ['a Blob', () => new Blob([BYTES])],
  ['a stream', () => streamOf(BYTES)],
  ['a function that opens a stream', () => () => streamOf(BYTES)],
]

describe('an upload', () => {
  test.each(kinds)('sends %s with its length and the credentials of the client', async (_kind, file) => {
    await using service = await playService(uploaded)
    const import_ = await uploadImportFile(optionsOf(service), reserved(), file())
    expect(import_).toEqual({ id: 'I', state: 'uploaded' })
    expect(service.requests).toMatchObject([
      {
        method: 'PUT',
        path: PATH,
        body: TEXT,
        headers: {
          authorization: 'Bearer svc_test',
          'content-length': String(BYTES.length),
          'content-type': 'text/csv',
          'user-agent': 'a-test',
        },
      },
    ])
    expect(service.requests[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  test('goes to the address of the client, whatever address the service has for itself', async () => {
    await using service = await playService(uploaded)
    await uploadImportFile({ ...optionsOf(service), baseUrl: `${service.url}/feedback/` }, reserved(), BYTES)
    await uploadImportFile(optionsOf(service), reserved(BYTES.length, `https://elsewhere.example/inner${PATH}`), BYTES)
    expect(service.requests.map(({ path }) => path)).toEqual([`/feedback${PATH}`, PATH])
    await expect(uploadImportFile(optionsOf(service), reserved(1, 'https://elsewhere.example/x'), BYTES)).rejects.toThrow(TypeError)
  })

  test.each(kinds)('is sent again as a whole if it can be: %s', async (kind, file) => {
    await using service = await playService({ status: 503, headers: AT_ONCE }, { instead: 'reset' }, uploaded)
    const result = uploadImportFile(optionsOf(service), reserved(), file())
    if (kind === 'a stream') await expect(result).rejects.toThrow(EarshotConnectionError)
    else expect(await result).toMatchObject({ state: 'uploaded' })
    expect(service.requests.map(({ body }) => body)).toEqual(kind === 'a stream' ? [TEXT] : [TEXT, TEXT, TEXT])
  })

  test('throws the refusal of the service, even one that comes before the last byte', async () => {
    await using service = await playService(refusal(409, 'state_conflict', { current_state: 'running' }))
    const error: unknown = await uploadImportFile(optionsOf(service), reserved(), BYTES).catch((error) => error)
    expect(error).toBeInstanceOf(EarshotApiError)
    expect(error).toMatchObject({ status: 409, code: 'state_conflict', fields: { current_state: 'running' } })
  })

  test('of a file of another size, or of an import that has its file, is refused before or while it is sent', async () => {
    await using service = await playService(uploaded)
    for (const [, file] of kinds) {
      await expect(uploadImportFile(optionsOf(service), reserved(BYTES.length + 1), file())).rejects.toThrow('The file has less than')
      await expect(uploadImportFile(optionsOf(service), reserved(BYTES.length - 1), file())).rejects.toThrow('The file has more than')
    }
    await expect(uploadImportFile(optionsOf(service), { upload: null }, BYTES)).rejects.toThrow(TypeError)
  })

  test('throws what its stream throws, and is not sent again', async () => {
    await using service = await playService(uploaded)
    let opened = 0
    const failing = () => {
      opened += 1
      return new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('disk error')) })
    }
    await expect(uploadImportFile(optionsOf(service), reserved(), failing)).rejects.toThrow('disk error')
    expect(opened).toBe(1)
  })

  test('is aborted by the caller, and takes no longer than it may', async () => {
    await using service = await playService({ instead: 'silence' })
    await expect(uploadImportFile(optionsOf(service), reserved(), BYTES, { timeoutMs: 50 })).rejects.toThrow('No response within 50 ms')
    const controller = new AbortController()
    const result = uploadImportFile(optionsOf(service), reserved(), () => streamOf(BYTES), { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(result).rejects.toThrow('enough')
  })
})

function optionsOf({ url }: { url: string }) {
  return { baseUrl: url, token: 'svc_test', userAgent: 'a-test' }
}

function reserved(max_bytes = BYTES.length, url = `http://localhost:8000${PATH}`) {
  return { upload: { url, max_bytes, expires_at: '2026-11-21T09:30:00.000Z' } }
}

/** In pieces of ten bytes. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + 10))
      at += 10
    },
  })
}
