import { api, queries, type Submission } from '../api.ts'
import { toastFailure } from '../ui/toasts.tsx'
import { patchSubmission } from './lists.ts'
import { showOwnUpdate } from './own-updates.ts'

/** Tags to add or to remove, so that changes by others meanwhile stay. */
export type TagChange = { add_tags: string[] } | { remove_tags: string[] }

/** Returns the mutation that changes the tags of a submission. A change shows at once, and is undone when the service refuses it. */
export function tagMutation(item: Submission) {
  const { team_id, project_id, id } = item
  return {
    mutationFn: (change: TagChange) => api.submissions.update({ team_id, project_id, submission_id: id, ...change }),
    onMutate: (change: TagChange) => patchSubmission(project_id, id, (one) => ({ ...one, tags: changedTags(one.tags, change) })),
    onSuccess: (saved: Submission) => {
      showOwnUpdate(saved)
      void queries.invalidateQueries({ queryKey: ['tags', project_id] })
    },
    // Not the tags of `item`: once the page has shown the change, this is called with what it shows.
    onError: (error: Error, change: TagChange) => {
      patchSubmission(project_id, id, (one) => ({ ...one, tags: changedTags(one.tags, reversed(change)) }))
      toastFailure(error)
    },
  }
}

function changedTags(tags: readonly string[], change: TagChange): string[] {
  return 'add_tags' in change ? [...new Set([...tags, ...change.add_tags])] : tags.filter((tag) => !change.remove_tags.includes(tag))
}

function reversed(change: TagChange): TagChange {
  return 'add_tags' in change ? { remove_tags: change.add_tags } : { add_tags: change.remove_tags }
}
