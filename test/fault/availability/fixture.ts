import { setTimeout as delay } from 'node:timers/promises'
import { type Database, openDatabase } from '@earshot/db'
import { type Balancer, startBalancer } from '../../support/balancer.ts'
import type { Team } from '../../support/people.ts'
import { startPrimaryAndStandby } from '../../support/primary-and-standby.ts'
import { until } from '../../support/until.ts'
import type { Causes } from '../durability/faults.ts'
import { makeTeams, SENDING } from '../durability/fixture.ts'
import { type Fleet, startFleet } from '../durability/fleet.ts'
import { type Recorder, startRecorder } from '../durability/recorder.ts'

/** Two api and two worker processes on a primary with a synchronous standby, a balancer in front, and one receiver. */
export interface AvailabilityFixture {
  balancer: Balancer
  fleet: Fleet
  recorder: Recorder
  teams: Team[]
  /** The test’s own connection, to the server that accepts writes. */
  database: Database
  causesOf: (lengths: { pauseMs: number }) => Causes
}

export async function openAvailabilityFixture(stack: AsyncDisposableStack): Promise<AvailabilityFixture> {
  const servers = stack.use(await startPrimaryAndStandby())
  const recorder = stack.use(await startRecorder())
  const { environment } = servers
  const fleet = stack.use(await startFleet({ ...SENDING, ...environment }, ['api', 'api', 'worker', 'worker']))
  const balancer = stack.use(await startBalancer(() => fleet.apis().map(({ url }) => url)))
  const database = openDatabase({
    ...{ address: { url: environment.DATABASE_URL }, role: 'earshot_worker', poolSize: 2, applicationName: 'earshot fault test' },
  })
  stack.defer(database.close)
  const writable = () =>
    until('PostgreSQL accepts writes', () =>
      database.run('update webhook_workers set seen_at = seen_at where false', []).then(
        () => true,
        () => false,
      ),
    )
  let primary = servers.primary
  const causesOf = ({ pauseMs }: { pauseMs: number }): Causes => ({
    kill: fleet.kill,
    pause: (victim) => fleet.pause(victim, pauseMs, ['api', 'worker']),
    async restart() {
      await primary.restart()
      await writable()
      return null
    },
    async promotion() {
      await primary.kill()
      // As long as a cluster manager takes to notice.
      await delay(1_000)
      await servers.standby.sql`select pg_promote()`
      primary = servers.standby
      await writable()
      return null
    },
  })
  return { balancer, fleet, recorder, database, causesOf, teams: await makeTeams(database, { fleet, recorder }) }
}
