import { sendNotifications } from '@earshot/db/maintenance'
import { task } from './task.ts'

export const notifications = task('notifications', async (_payload, { database, log }) => {
  log.debug({ mails: await sendNotifications(database) }, 'Queued mails about news')
})
