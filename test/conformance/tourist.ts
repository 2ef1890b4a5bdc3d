import type { DataDir } from '../support/data-dir.ts'

/** Somebody who takes the tour of the README in another language, against the running service. */
export interface Tourist {
  url: string
  /** The address, a token with every scope and the id of its team. */
  environment: Record<string, string>
}

/** Makes a team of its own for each. */
export async function makeTourist(url: string, data: Pick<DataDir, 'makeTeam'>): Promise<Tourist> {
  const team = await data.makeTeam()
  return { url, environment: { EARSHOT_URL: url, EARSHOT_TOKEN: team.token, EARSHOT_TEAM: team.id } }
}
