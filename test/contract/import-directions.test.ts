import { expect, test } from 'vitest'
import { refuseImport } from '../../import-directions.ts'

test.each([
  ['contracts/src/teams.ts', '@earshot/db'],
  ['contracts/src/teams.ts', 'node:crypto'],
  ['contracts/src/teams.ts', './client/index.ts'],
  ['contracts/src/schemas/primitives.ts', '../teams.ts'],
  ['db/src/teams.ts', '@earshot/drivers'],
  ['db/src/teams.ts', './dispatch/claim.ts'],
  ['db/src/webhooks/endpoints.ts', '../maintenance/purge.ts'],
  ['db/src/driver/pool.ts', '../sql/rows.ts'],
  ['db/src/tables/people.ts', '../driver/database.ts'],
  ['db/src/sql/pages.ts', '../teams.ts'],
  ['db/src/dispatch/claim.ts', '../maintenance/purge.ts'],
  ['db/src/maintenance/purge.ts', '../dispatch/claim.ts'],
  ['db/src/oauth/tokens.ts', '../schema/prepare.ts'],
  ['db/src/embedded/cluster.ts', '../schema/prepare.ts'],
  ['drivers/src/mail/mails.ts', '@earshot/db'],
  ['drivers/src/mail/mails.ts', '../network/webhook-url.ts'],
  ['server/src/teams.ts', '@earshot/jobs'],
  ['server/src/teams.ts', '@earshot/db/dispatch'],
  ['server/src/teams.ts', '../../db/src/teams.ts'],
  ['server/src/teams.ts', './pages/routes.ts'],
  ['server/src/http/pipeline.ts', '../teams.ts'],
  ['server/src/auth/caller.ts', '../http/pipeline.ts'],
  ['server/src/observability/probes.ts', '../teams.ts'],
  ['server/src/openapi/document.ts', '../handlers.ts'],
  ['jobs/src/mail.ts', '@earshot/server'],
  ['jobs/src/dispatcher/loop.ts', '../mail.ts'],
  ['jobs/src/sending/exchange.ts', '../dispatcher/loop.ts'],
  ['cli/src/help.ts', '@earshot/server'],
  ['app/main.ts', '@earshot/bench'],
  ['app/main.ts', '../test/support/clock.ts'],
  ['db/teams.ts', '@earshot/contracts'],
  ['test/db/teams.test.ts', '../../bench/src/load.ts'],
  ['bench/src/load.ts', '../../test/support/clock.ts'],
])('%s cannot import %s', (file, specifier) => {
  expect(refuseImport(file, specifier)).toBeTypeOf('string')
})

test.each([
  ['contracts/src/teams.ts', 'zod'],
  ['db/src/teams.ts', './webhooks/endpoints.ts'],
  ['db/src/dispatch/claim.ts', '../events.ts'],
  ['server/src/app.ts', './pages/routes.ts'],
  ['jobs/src/dispatcher/loop.ts', '@earshot/db/dispatch'],
  ['test/db/teams.test.ts', '../../db/src/teams.ts'],
])('%s can import %s', (file, specifier) => {
  expect(refuseImport(file, specifier)).toBeUndefined()
})
