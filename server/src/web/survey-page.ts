import { ApiError } from '@earshot/contracts'
import { findProject, type ProjectRow } from '@earshot/db'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toApiError } from '../http/failure.ts'
import { imageUrl } from '../media/images.ts'
import { type Form, formOf } from '../pages/form.ts'
import { type Html, html } from '../pages/html.ts'
import { backLink } from './markup/frame.ts'
import { type SurveyPage, surveyForm, surveyThanks } from './markup/survey-form.ts'
import { scriptTexts } from './markup/survey-script.ts'
import { answerProblems, answersOf } from './survey-input.ts'
import { failureText } from './visitor-failure.ts'
import { fill } from './visitor-language.ts'
import { sameView, sendVisitorPage } from './visitor-layout.ts'
import type { PublicSurvey } from './visitor-operations.ts'
import type { VisitorPageOptions } from './visitor-options.ts'

const PATH = '/s/:survey_id'
const ENTRY = 'visitor/survey.ts'
/** Names of the address that are ours; all others are hidden fields. */
const OWN_NAMES: readonly string[] = ['lang', 'embed', 'theme', 'external_id']

interface Opened extends Pick<SurveyPage, 'locale'> {
  survey: PublicSurvey
  project: { name: string; color: string | null; logoUrl: string | null; website_url: string | null }
}

/** The page of a survey. Sends the form as it is without script. */
export function registerSurvey(scope: FastifyInstance, options: VisitorPageOptions): void {
  const { database, locales, call, pages } = options

  async function open(request: FastifyRequest, reply: FastifyReply): Promise<Opened> {
    const { survey_id = '' } = request.params as { survey_id?: string } // Of this route.
    const wanted = locales.wanted(request)
    const retrieve = (language?: string) =>
      call('public.surveys.retrieve', { request, reply, input: { survey_id, ...(language && { language }) } })
    const first = await retrieve(wanted[0])
    const best = locales.match(first.output.languages, wanted)
    const { output: survey, project: ref } = best === null || best === first.output.language ? first : await retrieve(best)
    if (!ref) throw new ApiError('not_found')
    const project = shownProject(await findProject(database, ref), options)
    // The buttons speak the language of the questions, where they can.
    return { survey, locale: await locales.choose(request, survey.language), project }
  }

  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    { opened, form, refusal }: { opened: Opened; form: Form; refusal?: ApiError },
  ) {
    const { locale, survey, project } = opened
    const action = sameView(request, request.url.split('?', 1)[0] ?? '', { lang: survey.language })
    const problems = refusal ? { '': refusedText(refusal, opened), ...answerProblems(refusal.errors ?? [], survey.questions, locale) } : {}
    return sendVisitorPage(request, reply, {
      locale,
      title: fill(locale.messages.survey.title, { project: project.name }),
      body: surveyForm({ ...opened, action, form, problems, startedAt: new Date().toISOString() }),
      assets: await pages.assets('visitor', ENTRY),
      project,
      data: dataOf(request, opened),
      status: refusal?.status ?? 200,
      cache: refusal ? 'no-store' : 'no-cache',
    })
  }

  const sendSaid = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { opened, ...said }: { opened: Opened; title: string; body: Html },
  ) => {
    const assets = { ...(await pages.assets('visitor', ENTRY)), script: null }
    return sendVisitorPage(request, reply, { ...opened, ...said, assets })
  }

  scope.get(PATH, async (request, reply) => {
    const opened = await open(request, reply)
    if (opened.survey.status === 'active') return sendForm(request, reply, { opened, form: {} })
    const { closedTitle, closed } = opened.locale.messages.survey
    const body = html`<section class="card said"><h1>${closedTitle}</h1><p>${closed}</p>${backLink(opened.locale, opened.project.website_url)}</section>`
    return sendSaid(request, reply, { opened, title: closedTitle, body })
  })

  scope.post(PATH, async (request, reply) => {
    const form = formOf(request)
    const opened = await open(request, reply)
    try {
      await call('public.responses.create', { request, reply, input: inputOf(request, form, opened.survey) })
      return sendSaid(request, reply, { opened, title: opened.locale.messages.receipt.title, body: surveyThanks(opened) })
    } catch (error) {
      const refusal = toApiError(error)
      if (refusal.status === 500) request.log.error({ err: error }, 'request failed')
      if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
      return sendForm(request, reply, { opened, form, refusal })
    }
  })
}

function shownProject({ team_id, id, name, website_url, theme_color, theme_logo_version }: ProjectRow, links: { baseUrl: string }) {
  return { name, website_url, color: theme_color, logoUrl: imageUrl(links, { team_id, owner_id: id, version: theme_logo_version }) }
}

function refusedText(refusal: ApiError, { locale, project }: Opened): string {
  const { survey } = locale.messages
  if (refusal.code === 'state_conflict') return survey.closed
  if (refusal.code === 'already_exists') return survey.answered
  return refusal.status === 402 ? survey.quota : failureText(refusal, locale, project.name)
}

function inputOf(request: FastifyRequest, form: Form, survey: PublicSurvey): Record<string, unknown> {
  const { started_at, form_token, website, survey_version } = form
  return {
    ...fromAddress(request),
    survey_id: survey.id,
    answers: answersOf(survey.questions, form),
    survey_version: Number(survey_version) || survey.version,
    language: survey.language,
    started_at: started_at ?? null,
    form_token: form_token ?? '',
    website: website ?? '',
  }
}

/** What the address says of the respondent: your own id, and hidden fields. */
function fromAddress({ query }: FastifyRequest): { hidden: Record<string, string>; respondent?: { external_id: string } } {
  const fields = Object.entries(query as Record<string, unknown>) // Of any route.
  const texts = fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
  const { external_id = '' } = Object.fromEntries(texts)
  const hidden = Object.fromEntries(texts.filter(([name]) => !OWN_NAMES.includes(name)))
  return { hidden, ...(external_id !== '' && { respondent: { external_id } }) }
}

/** What the script needs: conditions, and the texts of this language alone. */
function dataOf(request: FastifyRequest, { locale, survey, project }: Opened): object {
  return {
    ...fromAddress(request),
    id: survey.id,
    version: survey.version,
    language: survey.language,
    project: project.name,
    startedAt: new Date().toISOString(),
    ...scriptTexts(survey.questions, locale),
  }
}
