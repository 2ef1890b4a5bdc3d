import type { QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { api, type Identity, type Project, type Team } from '../api.ts'
import { claimTab, keep, readKept } from '../kept.ts'

const PAGE = 100
const LAST_PLACE = 'earshot.last-place'

/** The queries that every page needs. They are asked for once, and again when they may have changed. */
export const identityQuery = {
  queryKey: ['me'],
  queryFn: async () => {
    const me = await api.me.retrieve()
    claimTab(me.user.id)
    return me
  },
}
export const teamsQuery = { queryKey: ['teams'], queryFn: () => Array.fromAsync(api.teams.list({ limit: PAGE })) }
export const projectsQuery = (team_id: string) => ({
  queryKey: ['projects', team_id],
  queryFn: () => Array.fromAsync(api.projects.list({ team_id, limit: PAGE })),
})
export const countsKey = (project_id: string) => ['counts', project_id]
export const countsQuery = ({ team_id, id }: Project) => ({
  queryKey: countsKey(id),
  queryFn: () => api.submissions.counts({ team_id, project_id: id }),
})

export const IdentityContext = createContext<Identity | null>(null)
export const TeamContext = createContext<Team | null>(null)
export const ProjectContext = createContext<Project | null>(null)

/** The person who is signed in. */
export function useIdentity(): Identity {
  return required(useContext(IdentityContext))
}

/** The team of the address. */
export function useTeam(): Team {
  return required(useContext(TeamContext))
}

/** The project of the address. */
export function useProject(): Project {
  return required(useContext(ProjectContext))
}

/** The fields of a project's operations: `{ team_id, project_id }`. */
export function useProjectRef(): { team_id: string; project_id: string } {
  const { team_id, id } = useProject()
  return { team_id, project_id: id }
}

const RANKS = ['viewer', 'member', 'admin', 'owner'] as const

/** Whether the person's role in the team of the address is at least this one. The service decides; this hides what it would refuse. */
export function useHasRole(role: Team['role']): boolean {
  return RANKS.indexOf(useTeam().role) >= RANKS.indexOf(role)
}

/** Finds by the short name of an address, or by the id, which stays when the name changes. */
export function findPlace<Place extends { id: string; slug: string }>(places: readonly Place[], name: string): Place | undefined {
  return places.find(({ slug }) => slug === name) ?? places.find(({ id }) => id === name)
}

/** The project of the address; on a page of the team the one where the person was last, else the first. */
export function nearProject(team: Team, projects: readonly Project[], name: string | undefined): Project | undefined {
  if (name !== undefined) return findPlace(projects, name)
  const last = readLastPlace()
  return (last?.team === team.slug ? findPlace(projects, last.project) : undefined) ?? projects[0]
}

/** Where the person was last, for the next visit of the bare address. */
export function rememberPlace(team: string, project: string): void {
  keep('local', LAST_PLACE, JSON.stringify({ team, project }))
}

/** Returns the address to begin at: where the person was last, else the first project. Null for people without a team. */
export async function findStart(queries: QueryClient): Promise<{ team: string; project: string | null } | null> {
  const teams = await queries.ensureQueryData(teamsQuery)
  const last = readLastPlace()
  const team = findPlace(teams, last?.team ?? '') ?? teams[0]
  if (!team) return null
  const projects = await queries.ensureQueryData(projectsQuery(team.id))
  const project = findPlace(projects, last?.project ?? '') ?? projects[0]
  return { team: team.slug, project: project?.slug ?? null }
}

function readLastPlace(): { team: string; project: string } | null {
  const stored: unknown = JSON.parse(readKept('local', LAST_PLACE) ?? 'null')
  const isPlace = typeof stored === 'object' && stored !== null && 'team' in stored && 'project' in stored
  return isPlace ? { team: String(stored.team), project: String(stored.project) } : null
}

function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('This page is outside its layout')
  return value
}
