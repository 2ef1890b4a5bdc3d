import { type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import type { FromPreview, ToPreview } from '../../../survey-preview/messages.ts'
import { onThisOrigin } from '../../api.ts'
import { useProject } from '../../shell/places.ts'
import { type Draft, shownQuestions } from './draft.ts'

/** The question that the preview shows, null at the end. */
export type ShownQuestion = Extract<FromPreview, { type: 'earshot:shown' }>

interface FrameProps {
  /** With the texts of the language. */
  draft: Draft
  language: string
  openKey: string | undefined
  /** Takes what begins the survey again. */
  restart: RefObject<(() => void) | null>
  onShown: (shown: ShownQuestion) => void
}

/** The page of the survey as visitors get it, made from the draft. The service made its frame, and its script does the rest. */
export function PreviewFrame({ draft, language, openKey, restart, onShown }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const tell = (message: ToPreview) => frame.current?.contentWindow?.postMessage(message, location.origin)
  const survey = useShownSurvey(draft, language, openKey)
  const text = JSON.stringify(survey)
  const send = useEffectEvent(() => tell(survey))
  const receive = useEffectEvent(({ data, source, origin }: MessageEvent<FromPreview>) => {
    if (source !== frame.current?.contentWindow || origin !== location.origin) return
    if (data.type === 'earshot:ready') tell(survey)
    else if (data.type === 'earshot:shown') onShown(data)
  })
  useEffect(() => {
    const listener = (event: MessageEvent<FromPreview>) => receive(event)
    addEventListener('message', listener)
    return () => removeEventListener('message', listener)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the preview is told what has changed
  useEffect(() => send(), [text])
  useEffect(() => {
    restart.current = () => tell({ type: 'earshot:restart' })
  })
  return (
    <iframe
      ref={frame}
      className="phone"
      title="The survey as respondents see it"
      src={`/s/preview?${new URLSearchParams({ lang: language })}`}
    />
  )
}

function useShownSurvey(draft: Draft, language: string, openKey: string | undefined): ToPreview {
  const { name, website_url, theme } = useProject()
  const questions = shownQuestions(draft)
  return {
    type: 'earshot:survey',
    survey: { language, questions, thank_you_text: draft.thankYouText.trim() || null },
    project: { name, website_url, color: theme.color, logoUrl: theme.logo?.url ? onThisOrigin(theme.logo.url) : null },
    open: questions.find(({ id }) => id === openKey)?.ref ?? null,
  }
}
