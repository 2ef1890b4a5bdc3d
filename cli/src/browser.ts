import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { platform } from 'node:os'
import type { Terminal } from './terminal.ts'

/** Opens an address in the browser of this machine. Returns whether there is one; what it does with the address is not known. */
export async function openBrowser(address: string, env: Terminal['env']): Promise<boolean> {
  const [program, ...args] = commandFor(env)
  // A browser would run javascript: and read file:.
  if (!program || !/^https?:$/.test(new URL(address).protocol)) return false
  const isPlaced = args.some((arg) => arg.includes('%s'))
  // No shell: an address is one argument, whatever it holds.
  const words = isPlaced ? args.map((arg) => arg.replaceAll('%s', address)) : [...args, address]
  const child = spawn(program, words, { detached: true, stdio: 'ignore' })
  child.unref()
  return once(child, 'spawn').then(
    () => true,
    () => false,
  )
}

/** BROWSER names a command; without it, the system's own. On Linux there is none without a display. */
function commandFor({ BROWSER, DISPLAY, WAYLAND_DISPLAY }: Terminal['env']): readonly string[] {
  if (BROWSER) return BROWSER.trim().split(/\s+/)
  if (platform() === 'darwin') return ['open']
  if (platform() === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : []
}
