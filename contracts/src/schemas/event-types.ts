import { z } from 'zod'
import { type eventDescriptions, eventTypes } from './event-descriptions.ts'

export type EventType = keyof typeof eventDescriptions
export const EventType = z.enum(eventTypes).meta({ id: 'EventType', description: 'Type of the event.', example: 'submission.approved' })
