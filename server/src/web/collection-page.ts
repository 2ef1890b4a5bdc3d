import { ApiError } from '@earshot/contracts'
import { findVideoLimits } from '@earshot/db'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../http/failure.ts'
import { type Form, formOf } from '../pages/form.ts'
import { collectionForm } from './collection-form.ts'
import { fieldTable, inputOf, type Problems, problemsOf } from './collection-input.ts'
import { receiptOf } from './collection-receipt.ts'
import { failureText } from './visitor-failure.ts'
import { fill, type Locale } from './visitor-language.ts'
import { isEmbedded, sameView, sendVisitorPage } from './visitor-layout.ts'
import type { PublicProject } from './visitor-operations.ts'
import type { VisitorPageOptions } from './visitor-options.ts'
import { viewOf, withdrawPath } from './withdraw-page.ts'

const PATH = '/c/:public_key'
const ENTRY = 'visitor/collection.ts'
const MINUTE_SECONDS = 60

interface Opened {
  locale: Locale
  project: PublicProject
  key: string
  consentText: string
  /** How long a video may be. */
  maxSeconds: number
  /** For the receipt. */
  withdrawal: (token: string) => string
  isFramed: boolean
}

/** The page on which visitors tell a project what they think. Sends the form as it is without script. */
export function registerCollection(scope: FastifyInstance, options: VisitorPageOptions): void {
  const { database, locales, call, pages } = options

  async function open(request: FastifyRequest, reply: FastifyReply): Promise<Opened> {
    const { public_key: key = '' } = request.params as { public_key?: string } // Of this route.
    const locale = await locales.choose(request)
    const { output, project } = await call('public.projects.retrieve', { request, reply, input: { public_key: key } })
    if (!project) throw new ApiError('not_found')
    const { maxSeconds } = await findVideoLimits(database, project.team_id)
    const own = (await locales.own()).messages.form.consent
    const consentText = output.consent_text === own ? locale.messages.form.consent : output.consent_text
    const withdrawal = (token: string) => withdrawPath(token, viewOf(request, key))
    const isFramed = isEmbedded(request.query as Record<string, unknown>) // Of any route.
    return { locale, project: output, key, consentText, maxSeconds, withdrawal, isFramed }
  }

  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { opened, form, refusal }: { opened: Opened; form: Form; refusal?: ApiError },
  ) {
    const { locale, project, maxSeconds } = opened
    const { theme, name } = project
    const action = sameView(request, request.url.split('?', 1)[0] ?? '', { lang: locale.language })
    const problems = refusal ? refusedProblems(refusal, form, opened) : {}
    const body = collectionForm({ ...opened, action, form, problems, videoTime: timeOf(maxSeconds, locale) })
    return sendVisitorPage(request, reply, {
      locale,
      title: fill(locale.messages.form.heading, { project: name }),
      body,
      assets: await pages.assets('visitor', ENTRY),
      project: { name, color: theme.color, logoUrl: theme.logo_url },
      data: dataOf(opened, options.baseUrl),
      status: refusal?.status ?? 200,
      cache: refusal ? 'no-store' : 'no-cache',
    })
  }

  scope.get(PATH, async (request, reply) => sendForm(request, reply, { opened: await open(request, reply), form: {} }))

  scope.post(PATH, async (request, reply) => {
    const form = formOf(request)
    const opened = await open(request, reply)
    const { locale, project, key, consentText } = opened
    const input = { public_key: key, ...inputOf(form, { language: locale.language, consentText }) }
    try {
      const { output } = await call('public.submissions.create', { request, reply, input })
      return sendVisitorPage(request, reply, {
        locale,
        title: locale.messages.receipt.title,
        body: receiptOf(opened, form, output),
        assets: { ...(await pages.assets('visitor', ENTRY)), script: null },
        project: { name: project.name, color: project.theme.color, logoUrl: project.theme.logo_url },
      })
    } catch (error) {
      const refusal = toApiError(error)
      if (refusal.status === 500) request.log.error({ err: error }, 'request failed')
      if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
      return sendForm(request, reply, { opened, form, refusal })
    }
  })
}

function refusedProblems(refusal: ApiError, form: Form, { locale, project }: Opened): Problems {
  const summary = failureText(refusal, locale, project.name)
  return { '': summary, ...problemsOf(refusal.errors ?? [], form, locale) }
}

/** What the script needs: the texts of this language alone. */
function dataOf({ locale, project, key, consentText, maxSeconds }: Opened, baseUrl: string): object {
  const { script, error, receipt, recorder, form } = locale.messages
  return {
    key,
    baseUrl,
    language: locale.language,
    project: project.name,
    collects: project.collects,
    consentText,
    maxSeconds,
    fields: fieldTable(locale),
    texts: {
      script,
      error,
      receipt: { copy: receipt.copy, copied: receipt.copied, video: receipt.video },
      form: { body: form.body, bodyBeside: form.bodyBeside, bodyHint: form.bodyHint },
      ...(project.collects.video && { recorder }),
    },
  }
}

/** "2 minutes" in the words of the language. */
function timeOf(seconds: number, { language }: Locale): string {
  const minutes = seconds / MINUTE_SECONDS
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
}
