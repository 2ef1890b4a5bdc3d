import type { ImageFailure } from '@earshot/contracts'
import { sql } from 'drizzle-orm'
import { type Tx, transaction } from '../driver/database.ts'
import { type Parameters, statement } from '../sql/statement.ts'
import { type ImageCopyRow, image_copies } from '../tables/image-copies.ts'
import { project_counters, projects } from '../tables/projects.ts'
import { teams } from '../tables/teams.ts'

/** Longer than any copy takes: a worker that is not done by then has died. */
const LEASE = sql.raw(`interval '2 minutes'`)
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** A copy that a worker makes. The number of the attempt and the address are the fence: a later attempt refuses its results. */
export type ClaimedImage = Pick<ImageCopyRow, 'team_id' | 'project_id' | 'owner_id' | 'kind' | 'source_url' | 'attempts'> & {
  /** Whether neither the project nor its team was deleted. */
  is_there: boolean
}

// Team by team, by an index, and of the first with a due one its oldest. One that another worker claims is skipped. The nested loop
// keeps the order of the turns, and stops at the first image: an order of its own would lock one of each team.
const claim = statement<{ served: string }, ClaimedImage>(
  (p) => sql`
  with recursive waiting as (
    (
      select i.team_id
        from ${image_copies} i
       where i.state = 'pending'
       order by i.team_id
       limit 1
    )
    union all
    select (
             select i.team_id
               from ${image_copies} i
              where i.state = 'pending' and i.team_id > w.team_id
              order by i.team_id
              limit 1
           )
      from waiting w
     where w.team_id is not null
  ),
  turn as (
    select w.team_id
      from waiting w
     where w.team_id is not null
     order by w.team_id <= ${p.served}::uuid, w.team_id
  ),
  chosen as (
    select i.team_id, i.owner_id
      from turn t
     cross join lateral (
             select i.team_id, i.owner_id
               from ${image_copies} i
              where i.team_id = t.team_id and i.state = 'pending' and i.due_at <= now()
              order by i.due_at
              limit 1
                for no key update skip locked
           ) i
     limit 1
  )
  update ${image_copies} i
     set attempts = i.attempts + 1, due_at = now() + ${LEASE}
    from chosen c
   where i.team_id = c.team_id and i.owner_id = c.owner_id
  returning i.team_id, i.project_id, i.owner_id, i.kind, i.source_url, i.attempts,
            exists (
              select
                from ${projects} o
                join ${teams} t on t.id = o.team_id and t.deleted_at is null
               where o.team_id = i.team_id and o.id = i.project_id and o.deleted_at is null
            ) as is_there`,
)

const findDue = statement<Record<never, never>, { owner_id: string }>(sql`
  select i.owner_id
    from ${image_copies} i
   where i.state = 'pending' and i.due_at <= now()
   limit 1`)

/** Whether an image waits to be copied. */
export async function hasDueImages(tx: Tx): Promise<boolean> {
  return (await findDue(tx, {})).length > 0
}

/**
 * Claims the image whose turn it is: of the team behind that which was served last; null when none is due. Also one of what was deleted,
 * and one whose attempts are used up: the caller ends those, or they would be due for ever.
 */
export async function claimImage(tx: Tx, { served }: { served: string | null }): Promise<ClaimedImage | null> {
  return (await claim(tx, { served: served ?? LOWEST_ID }))[0] ?? null
}

type Held = Pick<ClaimedImage, 'team_id' | 'owner_id' | 'attempts' | 'source_url'>

// Another address begins with the first attempt again.
const isHeld = (p: Parameters<Held>) =>
  sql`team_id = ${p.team_id} and owner_id = ${p.owner_id} and state = 'pending'
     and attempts = ${p.attempts}::int and source_url = ${p.source_url}`

const heldBy = ({ team_id, owner_id, attempts, source_url }: ClaimedImage): Held => ({ team_id, owner_id, attempts, source_url })

/** What a worker made. `version` is a hash of the bytes. */
export type MadeImage = Record<'version', string> & Record<'width' | 'height', number> & { bytes: Buffer }

const finish = statement<Held & MadeImage, { owner_id: string }>(
  (p) => sql`
  update ${image_copies}
     set state = 'ready', error_code = null, version = ${p.version}, width = ${p.width}::int, height = ${p.height}::int, bytes = ${p.bytes}
   where ${isHeld(p)}
  returning owner_id`,
)

const fail = statement<Held & { code: string }, { owner_id: string }>(
  (p) => sql`
  update ${image_copies}
     set state = 'failed', error_code = ${p.code}
   where ${isHeld(p)}
  returning owner_id`,
)

type Project = Pick<ClaimedImage, 'team_id' | 'project_id'>

// First what a change of a submission locks first: its project's counters. The version makes another entity tag of its widgets.
const showAvatar = statement<Project, never>(
  (p) => sql`
  update ${project_counters}
     set version = version + 1
   where team_id = ${p.team_id} and project_id = ${p.project_id}`,
)

// As a change of the project does: its row before that of the image.
const lockProject = statement<Project, never>(
  (p) => sql`
  select
    from ${projects}
   where team_id = ${p.team_id} and id = ${p.project_id}
     for no key update`,
)

const showLogo = statement<Project & { version: string | null; code: ImageFailure | null }, never>(
  (p) => sql`
  update ${projects}
     set theme_logo_version = ${p.version}, theme_logo_error = ${p.code}
   where team_id = ${p.team_id} and id = ${p.project_id}`,
)

/** Shows a copy. Returns false when another attempt has the image, or when it is not wanted any more. */
export function finishImage(tx: Tx, image: ClaimedImage, made: MadeImage): Promise<boolean> {
  const { team_id, project_id, kind } = image
  const project = { team_id, project_id }
  return transaction(tx, async (tx) => {
    if (kind === 'avatar') await showAvatar(tx, project)
    else await lockProject(tx, project)
    const isUsed = (await finish(tx, { ...heldBy(image), ...made })).length > 0
    if (isUsed && kind === 'logo') await showLogo(tx, { ...project, version: made.version, code: null })
    return isUsed
  })
}

/** Gives an image up for good. */
export function failImage(tx: Tx, image: ClaimedImage, code: ImageFailure): Promise<void> {
  return endAttempt(tx, image, code, (tx) => fail(tx, { ...heldBy(image), code }))
}

const postpone = statement<Held & { wait_ms: number; counts: boolean }, { owner_id: string }>(
  (p) => sql`
  update ${image_copies}
     set due_at = now() + ${p.wait_ms}::int * interval '1 millisecond',
         attempts = attempts - case when ${p.counts}::boolean then 0 else 1 end
   where ${isHeld(p)}
  returning owner_id`,
)

/** Lets an image be due again after a while. A logo's project says meanwhile what was wrong: few people wait for the last attempt. */
export function postponeImage(tx: Tx, image: ClaimedImage, { waitMs, code }: { waitMs: number; code: ImageFailure }): Promise<void> {
  return endAttempt(tx, image, code, (tx) => postpone(tx, { ...heldBy(image), wait_ms: waitMs, counts: true }))
}

/** Lets an image be due at once, without an attempt: that none was made is no fault of the other site. */
export async function handImageBack(tx: Tx, image: ClaimedImage): Promise<void> {
  await postpone(tx, { ...heldBy(image), wait_ms: 0, counts: false })
}

/** Records an attempt that failed, unless another one has the image. */
async function endAttempt(tx: Tx, image: ClaimedImage, code: ImageFailure, record: (tx: Tx) => Promise<unknown[]>): Promise<void> {
  const { team_id, project_id, kind } = image
  const project = { team_id, project_id }
  await transaction(tx, async (tx) => {
    if (kind === 'logo') await lockProject(tx, project)
    const isRecorded = (await record(tx)).length > 0
    if (isRecorded && kind === 'logo') await showLogo(tx, { ...project, version: null, code })
  })
}

const forget = statement<Project, never>(
  (p) => sql`
  delete from ${image_copies}
   where team_id = ${p.team_id} and project_id = ${p.project_id}`,
)

/** Forgets all images of a project that was deleted. */
export async function forgetImages(tx: Tx, { team_id, project_id }: Project): Promise<void> {
  await transaction(tx, async (tx) => {
    // First what a change of a submission locks first: so neither waits for the other in a circle.
    await showAvatar(tx, { team_id, project_id })
    await forget(tx, { team_id, project_id })
  })
}
