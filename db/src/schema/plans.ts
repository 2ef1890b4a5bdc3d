import { plans } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import type { Tx } from '../driver/database.ts'
import { statement } from '../sql/statement.ts'
import { plans as plansTable } from '../tables/plans.ts'

const write = statement<{ plans: string }, never>(
  (p) => sql`
  insert into ${plansTable} as p (name, api_access, features, quotas)
  select *
    from jsonb_to_recordset(${p.plans}::jsonb) as n (name text, api_access boolean, features text[], quotas jsonb)
  on conflict (name) do update set
    api_access = excluded.api_access,
    features = excluded.features,
    quotas = excluded.quotas
  where (p.api_access, p.features, p.quotas) is distinct from (excluded.api_access, excluded.features, excluded.quotas)`,
)

/** Writes the contracts' plans into the database, so that one statement can authorize and count. Part of every start. */
export async function writePlans(tx: Tx): Promise<void> {
  const rows = Object.entries(plans).map(([name, { apiAccess, features, quotas }]) => ({ name, api_access: apiAccess, features, quotas }))
  await write(tx, { plans: JSON.stringify(rows) })
}
