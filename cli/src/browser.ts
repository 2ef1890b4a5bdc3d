import { spawn } from 'node:child_process'
import { platform } from 'node:os'
import type { Terminal } from './terminal.ts'

/** Opens an address in the browser of this machine. Returns whether there is one; what it does with the address is not known. */
export async function openBrowser(address: string, env: Terminal['env']): Promise<boolean> {
  const [program = '', ...args] = commandFor(env) ?? []
  if (program === '' || !/^https?:$/.test(new URL(address).protocol)) return false
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

/** BROWSER names a program; without it, the system's own. On Linux there is none without a display. */
function commandFor({ BROWSER, DISPLAY, WAYLAND_DISPLAY }: Terminal['env']): readonly string[] | undefined {
  if (BROWSER) return [BROWSER]
  if (platform() === 'darwin') return ['open']
  if (platform() === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}
