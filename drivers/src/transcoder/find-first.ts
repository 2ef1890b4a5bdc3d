import { findSandbox, type Sandbox, type SandboxPriority } from './sandbox.ts'

const KINDS = ['libav', 'ffmpeg'] as const
type Kind = (typeof KINDS)[number]

export interface FindOptions extends SandboxPriority {
  /** Tries one of the two only. */
  only?: Kind
}

/** Returns what the first finder that works finds: the libraries from npm, or else the `ffmpeg` of the system. Says why neither does, for operators. */
export async function findFirst<Found>(
  finders: Record<Kind, (sandbox: Sandbox) => Promise<Found>>,
  { only, niceness }: FindOptions,
): Promise<{ found: Found } | { missing: string }> {
  const sandbox = await findSandbox({ niceness })
  const reasons: string[] = []
  for (const kind of KINDS) {
    if (only !== undefined && only !== kind) continue
    try {
      return { found: await finders[kind](sandbox) }
    } catch (error) {
      reasons.push(`${kind}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { missing: reasons.join(' ') }
}
