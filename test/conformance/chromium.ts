import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { installDebian } from './debian.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
/** Of this machine, but not a secure context, as a service in a local network is. */
export const PLAIN_HOST = 'earshot.test'
const NEEDED = 'Chromium is needed (on Debian: apt install chromium)'

/** A real browser, installed from Debian's packages where there is none and we may. Resolves to what is missing otherwise. */
export async function openChromium(): Promise<Browser | string> {
  const path = await findChromium()
  if (path === null) return NEEDED
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
    ],
  })
}

/** Returns where Chromium is, after it was installed if need be; null where it cannot be. */
export async function findChromium(): Promise<string | null> {
  return installedChromium() ?? (await installChromium())
}

function installedChromium(): string | null {
  return PLACES.find((path) => existsSync(path)) ?? null
}

async function installChromium(): Promise<string | null> {
  await installDebian('chromium', 'fonts-dejavu-core')
  return installedChromium()
}
