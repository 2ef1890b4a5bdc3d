import { makePreparedDataDir } from '../support/prepared-data-dir.ts'
import { startService } from '../support/service-process.ts'
import { type DeliverySource, openDeliverySource } from './delivery-source.ts'

/** A service process with a team that has webhooks. */
export interface SendingService extends AsyncDisposable {
  teamId: string
  openSource: () => Promise<DeliverySource>
}

export async function startSendingService(): Promise<SendingService> {
  const dataDir = makePreparedDataDir()
  const service = await startService({ EARSHOT_DATA_DIR: dataDir.path })
  const team = await dataDir.makeTeam()
  return {
    teamId: team.id,
    openSource: () => openDeliverySource(service.client(team.token), team),
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await dataDir[Symbol.asyncDispose]()
    },
  }
}
