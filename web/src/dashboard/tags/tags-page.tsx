import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useHasRole, useProjectRef } from '../shell/places.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { More } from '../ui/more.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TableHolder } from '../ui/table-holder.tsx'
import { toast } from '../ui/toasts.tsx'
import { findTag, refreshTags, submissionsText, tagsQuery } from './queries.ts'
import { RenameTag } from './rename-tag.tsx'
import './tags.css'

const PLACE = '/$team/$project/tags'

/** The tags of the project with their counts, to rename, merge and delete. */
export function Tags() {
  const search = useSearch({ from: PLACE })
  const navigate = useNavigate({ from: PLACE })
  const canWrite = useHasRole('member')
  const query = useInfiniteQuery(tagsQuery(useProjectRef()))
  const pages = query.data?.pages ?? []
  const all = pages.flatMap(({ results }) => results)
  const close = () => void navigate({ search: {} })
  return (
    <Page title="Tags" lead="How many submissions have each tag. A tag is there as long as a submission has it.">
      <Loaded query={query} skeleton={<Skeleton rows={5} height="2.75rem" />}>
        {() => (all.length === 0 ? <NoTags canWrite={canWrite} /> : <TagTable tags={all} canWrite={canWrite} />)}
      </Loaded>
      <More query={query} />
      {canWrite && search.rename !== undefined && query.data && (
        <RenameTag key={search.rename} tag={search.rename} pages={pages} isComplete={!query.hasNextPage} onClose={close} />
      )}
      {canWrite && search.delete !== undefined && query.data && (
        <DeleteTag tag={search.delete} count={findTag(pages, search.delete)?.count} onClose={close} />
      )}
    </Page>
  )
}

function TagTable({ tags, canWrite }: { tags: readonly { tag: string; count: number }[]; canWrite: boolean }) {
  return (
    <TableHolder label="Tags">
      <table className="tag-table">
        <thead>
          <tr>
            <th scope="col">Tag</th>
            <th scope="col" className="number">
              Submissions
            </th>
            {canWrite && (
              <th scope="col">
                <span className="sr">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {tags.map(({ tag, count }) => (
            <tr key={tag}>
              <td>
                <Link from={PLACE} to="/$team/$project/inbox" search={{ tag, state: 'approved' }}>
                  <bdi>{tag}</bdi>
                </Link>
              </td>
              <td className="number">{count.toLocaleString('en')}</td>
              {canWrite && (
                <td>
                  <span className="tag-actions">
                    <Link className="icon-btn" from={PLACE} search={{ rename: tag }} aria-label={`Rename ${tag}`} title="Rename">
                      <Icon name="edit" />
                    </Link>
                    <Link className="icon-btn" from={PLACE} search={{ delete: tag }} aria-label={`Delete ${tag}`} title="Delete">
                      <Icon name="trash" />
                    </Link>
                  </span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </TableHolder>
  )
}

function DeleteTag({ tag, count, onClose }: { tag: string; count: number | undefined; onClose: () => void }) {
  const ref = useProjectRef()
  const remove = async () => {
    await api.tags.delete({ ...ref, tag })
    toast({ look: 'good', text: `Deleted “${tag}”` })
    await refreshTags(ref.project_id)
  }
  return (
    <Confirm title={`Delete the tag “${tag}”?`} action="Delete" onConfirm={remove} onClose={onClose}>
      <p>
        It is removed from {count === undefined ? 'all submissions' : submissionsText(count)}, which stay as they are. Widgets no longer
        filter by it, and may show more. This cannot be undone.
      </p>
    </Confirm>
  )
}

function NoTags({ canWrite }: { canWrite: boolean }) {
  return (
    <Empty
      icon="search"
      title="No tags yet"
      actions={
        canWrite && (
          <Link className="btn" from={PLACE} to="/$team/$project/inbox">
            Go to the inbox
          </Link>
        )
      }
    >
      Open a submission in the inbox and press T to add the first one.
    </Empty>
  )
}
