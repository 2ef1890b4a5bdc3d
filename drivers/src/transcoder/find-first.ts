import { findSandbox, type Sandbox } from './sandbox.ts'

const KINDS = ['libav', 'ffmpeg'] as const
type Kind = (typeof KINDS)[number]

export interface FindOptions {
  /** Tries one of the two only. */
  only?: Kind
}

/** Returns what the first finder that works finds: the libraries from npm, or else the `ffmpeg` of the system. Says why neither does, for operators. */
export async function findFirst<Found>(
  finders: Record<Kind, (sandbox: Sandbox) => Promise<Found>>,
  { only }: FindOptions,
): Promise<{ found: Found } | { missing: string }> {
  const sandbox = await findSandbox()
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
