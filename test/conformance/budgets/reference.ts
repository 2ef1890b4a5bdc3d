import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { mainThreadOf } from './main-thread.ts'

const LOADS = 3

/** A page whose cost is the same for ever: what other pages cost is told as a ratio to it. */
export interface ReferencePage extends Disposable {
  address: string
}

/** A list whose load and whose key `j` take a fixed amount of script, style and layout. It is never changed: bounds refer to it. */
const DOCUMENT = `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Reference</title>
<style>
  li { padding: 4px; border-bottom: 1px solid #ccc }
  li.selected { background: #def }
</style>
<ul></ul>
<script>
  const rows = Array.from({ length: 400 }, (_, index) => {
    const row = document.createElement('li')
    row.textContent = 'Row ' + index + ' word'.repeat(index % 20)
    document.querySelector('ul').append(row)
    row.offsetTop
    return row
  })
  let sum = 1
  function work(steps) {
    for (let step = 0; step < steps; step++) sum = (sum * 1103515245 + 12345) % 2147483648
    document.title = 'Reference ' + sum
  }
  work(3e6)
  let selected = 0
  addEventListener('keydown', ({ key }) => {
    if (key !== 'j') return
    rows[selected].classList.remove('selected')
    selected = (selected + 1) % rows.length
    rows[selected].classList.add('selected')
    rows[selected].scrollIntoView({ block: 'nearest' })
    work(1e5)
  })
</script>
`

/** Serves the page on loopback. */
export async function serveReference(): Promise<ReferencePage> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(DOCUMENT))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A server that listens on a port has an address with it.
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() }
}

/** Returns the processor time of the page's main thread for a load: the least of three, for what else the machine does only adds to it. */
export async function loadReference(browser: Browser, { address }: ReferencePage): Promise<number> {
  const tookMs: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext()
    const page = await context.newPage()
    const thread = await mainThreadOf(page)
    await page.goto(address)
    tookMs.push(await thread.usedMs())
    await context.close()
  }
  return Math.min(...tookMs)
}
