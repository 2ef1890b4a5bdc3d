import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import type { DeliverySource } from '../receivers/delivery-source.ts'
import { installPackage } from '../receivers/installed-package.ts'
import { openChromium } from './chromium.ts'

/** What a developer would load into a page. */
const SCRIPT = `
  import { verifyWebhook } from '@earshot/contracts/webhooks'
  globalThis.judge = (bytes, headers, secret) => verifyWebhook(Uint8Array.from(bytes), headers, secret).then(
    (event) => event.type + ' ' + event.id,
    (error) => error.code,
  )`

/** The packed package, installed in an empty project and bundled, verifies a delivery in a real browser. Resolves to what went wrong. */
export async function judgePublished(openSource: () => Promise<DeliverySource>): Promise<string | null> {
  const chromium = await openChromium()
  if (typeof chromium === 'string') return chromium
  // WebCrypto is there for secure contexts alone: a page of this machine is one.
  const site = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>'),
  )
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  try {
    using project = await installPackage()
    project.write('page.js', SCRIPT)
    const { code } = await project.bundle('page.js')
    const page = await chromium.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    await page.addScriptTag({ content: code })
    await using source = await openSource()
    return await verifyIn(page, source)
  } finally {
    site.close()
    await chromium.close()
  }
}

async function verifyIn(page: Page, source: DeliverySource): Promise<string | null> {
  const { headers, body } = await source.record()
  const expected = `submission.created ${JSON.parse(String(body)).id}`
  const judge = (bytes: Buffer) =>
    page.evaluate(`judge(${JSON.stringify([...bytes])}, ${JSON.stringify(headers)}, ${JSON.stringify(source.secret)})`)
  const verdicts = [await judge(body), await judge(Buffer.concat([body, Buffer.from('\n')]))]
  return verdicts[0] === expected && verdicts[1] === 'bad_signature' ? null : `said ${verdicts.join(', then ')}`
}
