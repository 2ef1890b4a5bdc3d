import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { api } from '../api.ts'
import { nearProject, projectsQuery, useTeam } from '../shell/places.ts'
import type { Entry } from './entry.ts'

/** While somebody types, nothing is asked for. */
const PAUSE_MS = 200
const MIN_LETTERS = 2
const MAX_LETTERS = 200
const MAX_FOUND = 6
const MAX_SHOWN_LETTERS = 140

interface Found {
  entries: readonly Entry[]
  isSearching: boolean
  error: unknown
}

/** The submissions of the project that have the words, whatever their state. A search that is out of date is cancelled. */
export function useFound(query: string): Found {
  const team = useTeam()
  const { project: name } = useParams({ strict: false })
  const { data: projects = [] } = useQuery(projectsQuery(team.id))
  const project = nearProject(team, projects, name)
  const navigate = useNavigate()
  const asked = query.trim().slice(0, MAX_LETTERS)
  const search = useSettled(asked)
  const isAsked = asked.length >= MIN_LETTERS && project !== undefined
  const { data, error, isFetching } = useQuery({
    queryKey: ['found', project?.id, search],
    queryFn: ({ signal }) =>
      api.submissions.list({ team_id: team.id, project_id: project?.id ?? '', search, limit: MAX_FOUND }, { signal }),
    enabled: isAsked && search.length >= MIN_LETTERS,
  })
  if (!isAsked) return { entries: [], isSearching: false, error: null }
  // Enter must not open what an earlier search has found.
  const results = search === asked ? (data?.results ?? []) : []
  const entries = results.map(({ id, author, title, body, state }) => ({
    ...({ id: `submission ${id}`, group: 'Submissions', icon: 'quote', text: author.name } as const),
    detail: [title, body].filter(Boolean).join(' · ').slice(0, MAX_SHOWN_LETTERS),
    run: () =>
      navigate({
        to: '/$team/$project/inbox',
        params: { team: team.slug, project: project.slug },
        search: { ...(state !== 'pending' && { state }), item: id },
      }),
  }))
  return { entries, isSearching: isFetching || search !== asked, error }
}

/** The text, once nothing was typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
