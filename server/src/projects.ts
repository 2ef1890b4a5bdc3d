import { contracts } from '@earshot/contracts'
import {
  createProject,
  deleteProject,
  findProject,
  listProjects,
  type ProjectFields,
  type ProjectRow,
  toTimestamp,
  updateProject,
} from '@earshot/db'
import { makeFormToken } from './auth/form-token.ts'
import { implement } from './http/implement.ts'
import { imageUrl, presentImageCopy } from './media/images.ts'

export const projects = implement(contracts.projects, {
  list: ({ ctx, input }) => listProjects(ctx.tx, input, (row) => presentProject(row, ctx.services)),
  create: async ({ ctx, input }) =>
    presentProject(await createProject(ctx.tx, ctx.actor, ctx.team.id, { ...fieldsOf(input), name: input.name }), ctx.services),
  retrieve: async ({ ctx, input }) => presentProject(await findProject(ctx.tx, input), ctx.services),
  update: async ({ ctx, input }) => presentProject(await updateProject(ctx.tx, ctx.actor, input, fieldsOf(input)), ctx.services),
  delete: ({ ctx, input }) => deleteProject(ctx.tx, ctx.actor, input),
})

export const publicProjects = implement(contracts.public.projects, {
  retrieve: async ({ ctx }) => {
    const row = await findProject(ctx.tx, ctx.project)
    const { name, website_url, consent_text, thank_you_text } = row
    const form_token = makeFormToken(ctx.services.secretBox, Date.now())
    const theme = { color: row.theme_color, logo_url: logoUrl(row, ctx.services) }
    return { name, website_url, consent_text, thank_you_text, collects: presentCollects(row), theme, form_token }
  },
})

interface ProjectInput {
  name?: string | undefined
  slug?: string | undefined
  website_url?: string | null | undefined
  consent_text?: string | undefined
  thank_you_text?: string | undefined
  collects?: { text?: boolean | undefined; video?: boolean | undefined; rating?: boolean | undefined } | undefined
  theme?: { color?: string | null | undefined; logo_url?: string | null | undefined } | undefined
}

/** Returns the columns of the given fields. Absent ones stay unchanged. */
function fieldsOf({ name, slug, website_url, consent_text, thank_you_text, collects = {}, theme = {} }: ProjectInput): ProjectFields {
  const given = {
    name,
    slug,
    website_url,
    consent_text,
    thank_you_text,
    collects_text: collects.text,
    collects_video: collects.video,
    collects_rating: collects.rating,
    theme_color: theme.color,
    theme_logo_url: theme.logo_url,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function presentCollects(row: ProjectRow) {
  return { text: row.collects_text, video: row.collects_video, rating: row.collects_rating }
}

function logoUrl({ team_id, id, theme_logo_version }: ProjectRow, services: { baseUrl: string }): string | null {
  return imageUrl(services, { team_id, owner_id: id, version: theme_logo_version })
}

function presentTheme(row: ProjectRow, services: { baseUrl: string }) {
  const { theme_color, theme_logo_url, theme_logo_error } = row
  const logo = presentImageCopy(theme_logo_url, logoUrl(row, services), theme_logo_error)
  return { color: theme_color, logo_url: theme_logo_url, logo }
}

function presentProject(row: ProjectRow, services: { baseUrl: string }) {
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    slug: row.slug,
    website_url: row.website_url,
    collects: presentCollects(row),
    consent_text: row.consent_text,
    thank_you_text: row.thank_you_text,
    theme: presentTheme(row, services),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}
