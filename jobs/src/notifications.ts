import { sendNotifications } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const notifications = task('notifications', async (_payload, { database, log }) => {
  const sent = await sendNotifications(database)
  if (sent > 0) log.debug({ sent }, 'Queued mails about news')
})
