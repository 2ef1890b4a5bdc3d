import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, type Item, queries, type Submission } from '../api.ts'
import { type Filters, narrowing } from './filters.ts'

export type Testimonial = Item<typeof api.testimonials.list>
/** A testimonial with what the team adds, or a submission of another kind, to which nothing can be added. */
export type Words = Submission | Testimonial
interface ProjectRef {
  team_id: string
  project_id: string
}

const ALL = 100

export function isTestimonial(words: Words): words is Testimonial {
  return 'featured' in words
}

/** The list of the page. */
export function wordsQuery(ref: ProjectRef, filters: Filters) {
  const { featured, q, ...narrow } = narrowing(filters)
  const input = { ...ref, ...narrow, search: q }
  return infiniteQueryOptions({
    queryKey: ['words', ref.project_id, filters.kind ?? 'testimonial', narrowing(filters)],
    queryFn: ({ pageParam: cursor }): Promise<{ results: Words[]; next_cursor: string | null }> =>
      filters.kind === undefined
        ? api.testimonials.list({ ...input, featured, cursor })
        : api.submissions.list({ ...input, kind: filters.kind, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
}

/** Where one record is kept. */
export function wordsKey({ project_id, id }: { project_id: string; id: string }) {
  return ['words-one', project_id, id]
}

/** What is open, when the list does not have it. */
export function oneQuery(ref: ProjectRef, id: string, kind: Filters['kind']) {
  return queryOptions({
    queryKey: wordsKey({ ...ref, id }),
    queryFn: (): Promise<Words> =>
      kind === undefined
        ? api.testimonials.retrieve({ ...ref, testimonial_id: id })
        : api.submissions.retrieve({ ...ref, submission_id: id }),
  })
}

/** All featured testimonials in the order in which widgets show them. */
export function featuredQuery(ref: ProjectRef) {
  return queryOptions({
    queryKey: ['featured', ref.project_id],
    queryFn: async () => {
      const all: Testimonial[] = []
      for await (const testimonial of api.testimonials.list({ ...ref, featured: true, limit: ALL })) all.push(testimonial)
      return inOrder(all)
    },
  })
}

/** Smallest position first, those without one last, then the newest, as widgets do. */
function inOrder(testimonials: readonly Testimonial[]): Testimonial[] {
  const place = ({ position }: Testimonial) => position ?? Number.POSITIVE_INFINITY
  return [...testimonials].sort((one, other) => {
    const [first, second] = [place(one), place(other)]
    if (first !== second) return first < second ? -1 : 1
    return one.id < other.id ? 1 : -1
  })
}

/** Shows a changed record wherever it is shown already. */
export function keepWords(words: Words): void {
  queries.setQueriesData<InfiniteData<{ results: Words[]; next_cursor: string | null }, string | undefined>>(
    { queryKey: ['words', words.project_id] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({ ...page, results: page.results.map((one) => (one.id === words.id ? words : one)) })),
      },
  )
  queries.setQueryData(wordsKey(words), words)
}

/** Reads the lists and their counts again, after something was added, removed or decided. */
export async function refreshWords(project_id: string): Promise<void> {
  await Promise.all(['words', 'featured', 'counts'].map((name) => queries.invalidateQueries({ queryKey: [name, project_id] })))
}
