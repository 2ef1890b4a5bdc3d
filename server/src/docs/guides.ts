import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'

const TOP = new URL('../../../', import.meta.url)
const LOCAL_URL = 'http://localhost:8000'
/** A block or a piece of code, which stays as it is, or a link or image. */
const CODE_OR_LINK = /```[\s\S]*?```|`[^`\n]*`|(?<image>!?)\[(?<text>[^\]]*)\]\((?<target>[^)\s]+)\)/g

/** A file of the repository that the service shows to its users. */
interface Guide {
  /** Its name at `/docs/NAME.md`. */
  name: string
  /** Its path from the top of the repository. */
  file: string
  /** Where llms.txt lists it. */
  section: 'Guides' | 'Clients' | 'Reference' | 'Optional'
  summary: string
}

/** Every file that is shown. Nothing else of the repository has an address. */
export const guides: readonly Guide[] = [
  inDocs('surfaces', 'Guides', 'How to use REST, the typed client, tRPC and the command line.'),
  inDocs('dashboard', 'Guides', 'How to moderate and manage in the browser: keys, undo, tags, several tabs.'),
  inDocs('signing-in', 'Guides', 'How to sign in from a program: tokens, OAuth2, JWT, sessions.'),
  inDocs('command-line', 'Guides', 'How to use the command line: signing in, formats, moderation, completion.'),
  inDocs('webhooks', 'Guides', 'How to receive webhooks, in TypeScript, Python, Go and shell.'),
  inDocs('local-development', 'Guides', 'How to receive events on your own machine.'),
  inDocs('mcp', 'Guides', 'How to connect agents: tokens, OAuth2, toolsets, prompts.'),
  inDocs('surveys', 'Guides', 'How to run surveys, and read results, NPS and analytics.'),
  inDocs('widgets', 'Guides', 'How to embed walls, badges and forms in a website.'),
  inDocs('collection-page', 'Guides', 'How to collect feedback and answers on pages of their own.'),
  inDocs('videos', 'Guides', 'How to upload and play videos.'),
  inDocs('importing', 'Guides', 'How to move in from another service, with a CSV file.'),
  inDocs('exporting', 'Guides', 'How to write all submissions or responses to a file.'),
  inDocs('privacy', 'Guides', 'How to answer privacy requests.'),
  inDocs('sdks', 'Clients', 'The clients, and how to generate one for another language.'),
  {
    name: 'client-typescript',
    file: 'sdks/typescript/README.md',
    section: 'Clients',
    summary: 'TypeScript, in Node, Deno, Bun and browsers.',
  },
  { name: 'client-python', file: 'sdks/python/README.md', section: 'Clients', summary: 'Python 3.10 and later.' },
  { name: 'client-go', file: 'sdks/go/README.md', section: 'Clients', summary: 'Go, over oapi-codegen.' },
  inDocs('webhook-reference', 'Reference', 'Events, headers, signature, retries and error codes of webhooks.'),
  inDocs('operating', 'Optional', 'How to run the service in production.'),
  inDocs('configuration', 'Optional', 'The environment variables of the service.'),
]

const nameOfFile: ReadonlyMap<string, string> = new Map(guides.map(({ file, name }) => [file, name]))

/** A guide as it is served. */
export interface GuideText extends Guide {
  title: string
  text: string
}

/** Reads all guides. Links between them lead to each other, and links to what is not shown become text. */
export async function readGuides(baseUrl: string): Promise<GuideText[]> {
  return Promise.all(
    guides.map(async (guide) => {
      const text = withServedLinks(await readFile(new URL(guide.file, TOP), 'utf8'), { file: guide.file, baseUrl })
      return { ...guide, text, title: /^# (.+)$/m.exec(text)?.[1] ?? guide.name }
    }),
  )
}

function inDocs(name: string, section: Guide['section'], summary: string): Guide {
  return { name, file: `docs/${name}.md`, section, summary }
}

function withServedLinks(markdown: string, { file, baseUrl }: { file: string; baseUrl: string }): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole, ...rest) => {
    const { text, target, image } = rest.at(-1) as { text?: string; target?: string; image?: string }
    if (text === undefined || target === undefined) return whole
    if (target.startsWith(`${LOCAL_URL}/`)) return `[${text}](${baseUrl}${target.slice(LOCAL_URL.length)})`
    if (/^(https?:|#)/.test(target)) return whole
    const [path = '', fragment] = target.split('#')
    const name = image === '' ? nameOfFile.get(posix.join(posix.dirname(file), path)) : undefined
    return name === undefined ? text : `[${text}](${name}.md${fragment === undefined ? '' : `#${fragment}`})`
  })
}
