import { run } from './command.ts'

const environment = { DEBIAN_FRONTEND: 'noninteractive' }
/** The installation before: parts run at once, and apt refuses a second one. */
let last: Promise<unknown> = Promise.resolve()

/** Installs Debian's packages where we may; what asked for them looks for itself whether that has helped. */
export async function installDebian(...packages: string[]): Promise<void> {
  if (process.getuid?.() !== 0) return
  const installing = last.then(() => install(packages))
  last = installing
  await installing
}

async function install(packages: readonly string[]): Promise<void> {
  await run('apt-get', ['update', '--quiet'], { environment })
  await run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...packages], { environment, timeoutMs: 600_000 })
}
