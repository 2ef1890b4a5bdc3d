import type { Page } from 'playwright-core'
import type { DeliverySource } from '../receivers/delivery-source.ts'
import { installPackage } from '../support/installed-package.ts'
import { openChromium } from './chromium.ts'
import { openSite } from './site.ts'

/** The script that a developer would load into a page. */
const SCRIPT = `
  import { verifyWebhook } from '@earshot/contracts/webhooks'
  globalThis.verify = (bytes, headers, secret) => verifyWebhook(Uint8Array.from(bytes), headers, secret).then(
    (event) => event.type + ' ' + event.id,
    (error) => error.code,
  )`

/** Installs the packed package in an empty project, bundles it, and verifies a delivery in a real browser. Resolves to the problem, or null. */
export async function checkPublished(openSource: () => Promise<DeliverySource>): Promise<string | null> {
  const chromium = await openChromium()
  if (typeof chromium === 'string') return chromium
  try {
    // WebCrypto needs a secure context.
    using site = await openSite()
    using project = await installPackage('contracts')
    project.write('page.js', SCRIPT)
    const { code } = await project.bundle('page.js')
    const page = await chromium.newPage()
    await page.goto(site.origin)
    await page.addScriptTag({ content: code })
    await using source = await openSource()
    return await verifyIn(page, source)
  } finally {
    await chromium.close()
  }
}

async function verifyIn(page: Page, source: DeliverySource): Promise<string | null> {
  const { headers, body } = await source.record()
  const expected = `submission.created ${JSON.parse(String(body)).id}`
  const verify = (bytes: Buffer) =>
    page.evaluate(`verify(${JSON.stringify([...bytes])}, ${JSON.stringify(headers)}, ${JSON.stringify(source.secret)})`)
  const verdicts = [await verify(body), await verify(Buffer.concat([body, Buffer.from('\n')]))]
  return verdicts[0] === expected && verdicts[1] === 'bad_signature' ? null : `said ${verdicts.join(', then ')}`
}
