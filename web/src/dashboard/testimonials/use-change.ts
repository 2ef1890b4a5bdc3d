import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { toastFailure } from '../ui/toasts.tsx'
import { refreshPreviews } from '../widgets/refresh-previews.ts'
import { keepWords, type Testimonial, wordsKey } from './words.ts'

interface Change {
  before: Testimonial
  change: Partial<Pick<Testimonial, 'featured' | 'excerpt' | 'position' | 'tags'>>
}

/** Changes what the team adds to a testimonial. It shows at once, and is taken back when the service refuses. */
export function useChange() {
  return useMutation({
    // One after another, in the order of the presses.
    scope: { id: 'testimonials' },
    mutationFn: ({ before: { team_id, project_id, id }, change }: Change) =>
      api.testimonials.update({ team_id, project_id, testimonial_id: id, ...change }),
    onMutate: ({ before, change }) => keepWords({ ...before, ...change }),
    onSuccess: async (after) => {
      keepWords(after)
      refreshPreviews(after.project_id)
      await queries.invalidateQueries({ queryKey: ['featured', after.project_id] })
    },
    onError: (error, { before }) => {
      const { featured, excerpt, position, tags } = before
      // What others have changed meanwhile stays.
      const shown = queries.getQueryData<Testimonial>(wordsKey(before)) ?? before
      keepWords({ ...shown, featured, excerpt, position, tags })
      toastFailure(error)
    },
  })
}
