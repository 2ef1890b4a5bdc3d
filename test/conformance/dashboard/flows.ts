import { analyticsFlows } from './analytics.ts'
import { badInputFlows } from './bad-input.ts'
import { coreFlows } from './core-flows.ts'
import { draggingFlows } from './dragging.ts'
import { eventFlows } from './events.ts'
import { firstPageFlows } from './first-pages.ts'
import type { Flow } from './fixture.ts'
import { imageFlows } from './images.ts'
import { importFlows } from './imports.ts'
import { inboxFlows } from './inbox.ts'
import { inboxCareFlows } from './inbox-care.ts'
import { inboxLiveFlows } from './inbox-live.ts'
import { inboxTabsFlows } from './inbox-tabs.ts'
import { keyboardFlows } from './keyboard.ts'
import { keyboardAccountFlows } from './keyboard-account.ts'
import { keyboardPageFlows } from './keyboard-pages.ts'
import { networkFlows } from './network.ts'
import { paletteFlows } from './palette.ts'
import { previewFlows } from './previews.ts'
import { situationFlows } from './situations.ts'
import { surveyResultsFlows } from './survey-results.ts'
import { surveysFlows } from './surveys.ts'
import { tagFlows } from './tags.ts'
import { teamFlows } from './team.ts'
import { testimonialFlows } from './testimonials.ts'
import { upgradeFlows } from './upgrade.ts'
import { videoFlows } from './videos.ts'
import { webhookFlows } from './webhooks.ts'
import { widgetFlows } from './widgets.ts'
import { zoomFlows } from './zoom.ts'

/** All flows, in parts that take about as long as each other. */
const flows = {
  words: [inboxFlows, inboxCareFlows, inboxLiveFlows, inboxTabsFlows, testimonialFlows, tagFlows].flat(),
  surveys: [surveysFlows, surveyResultsFlows, draggingFlows, analyticsFlows, widgetFlows, previewFlows, imageFlows, videoFlows].flat(),
  team: [firstPageFlows, importFlows, teamFlows, webhookFlows, eventFlows, paletteFlows, situationFlows, upgradeFlows].flat(),
  keys: [badInputFlows, keyboardFlows, keyboardAccountFlows, keyboardPageFlows, networkFlows, zoomFlows].flat(),
} as const

/** A part of the flows: those of the core ring, or a part of all others. */
export type Part = 'core' | keyof typeof flows

const isCore = ({ name }: Flow) => Object.values(coreFlows).includes(name)

/** Returns the flows of a part. Each flow is in one part. */
export function flowsOf(part: Part): readonly Flow[] {
  if (part === 'core') return Object.values(flows).flat().filter(isCore)
  return flows[part].filter((flow) => !isCore(flow))
}
