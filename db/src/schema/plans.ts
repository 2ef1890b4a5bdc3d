import { plans } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { plans as plansTable } from '../tables/plans.ts'

// Plans of newer code stay, as its functions do. The lock keeps it from bringing both meanwhile.
const write = statement<{ plans: string; version: number }, never>(
  (p) => sql`
  with current as (
    select
      from schema_functions f
     where f.version <= ${p.version}::int
       for share
  )
  insert into ${plansTable} as p (name, api_access, features, quotas)
  select n.name, n.api_access, n.features, n.quotas
    from jsonb_to_recordset(${p.plans}::jsonb) as n (name text, api_access boolean, features text[], quotas jsonb)
   cross join current
  on conflict (name) do update set
    api_access = excluded.api_access,
    features = excluded.features,
    quotas = excluded.quotas
  where (p.api_access, p.features, p.quotas) is distinct from (excluded.api_access, excluded.features, excluded.quotas)`,
)

/**
 * Writes the contracts' plans into the database, so that one statement can authorize and count, unless the functions there are of a
 * later version. Part of every start.
 */
export async function writePlans(tx: Tx, functionsVersion: number): Promise<void> {
  const rows = Object.entries(plans).map(([name, { apiAccess, features, quotas }]) => ({ name, api_access: apiAccess, features, quotas }))
  await write(tx, { plans: JSON.stringify(rows), version: functionsVersion })
}
