import { z } from 'zod'
import { NoContent, operation } from './operation.ts'
import { PROJECT, ProjectRef, PUBLIC_PROJECT, PublicKeyRef, TEAM, TeamRef } from './paths.ts'
import { ImageCopy } from './schemas/image.ts'
import { Color, CreatedAt, HttpUrl, Id, listOf, Name, Page, Slug, text, UpdatedAt } from './schemas/primitives.ts'

const LongText = text(2_000)

const Collects = z
  .object({
    text: z.boolean().meta({ description: 'Whether visitors can submit text.' }),
    video: z.boolean().meta({ description: 'Whether visitors can submit videos.' }),
    rating: z.boolean().meta({ description: 'Whether the form asks for a rating.' }),
  })
  .meta({ id: 'Collects', description: 'What the project collects from visitors.' })

const color = z.string().nullable().meta({ description: 'Accent colour.', example: '#3366ff' })

const Theme = z
  .object({
    color,
    logo_url: z.string().nullable().meta({ description: 'Address of the logo, as your team gave it. The service copies it from there.' }),
    logo: ImageCopy.nullable().meta({ description: 'The copy of the logo, which pages show; null without a logo.' }),
  })
  .meta({ id: 'Theme', description: 'Look of the pages that visitors see.' })

const PublicTheme = z
  .object({
    color,
    logo_url: z.string().nullable().meta({ description: 'Address of the copy of the logo at this service; null without one.' }),
  })
  .meta({ id: 'PublicTheme', description: 'Look of the pages that visitors see.' })

export const Project = z
  .object({
    id: Id,
    team_id: Id.meta({ description: 'The team that owns the project.' }),
    name: z.string().meta({ description: 'Name of the project.', example: 'Website' }),
    slug: z.string().meta({ description: 'Short name, unique in the team.', example: 'website' }),
    website_url: z.string().nullable().meta({ description: 'Website that the feedback is about.' }),
    collects: Collects,
    consent_text: z.string().meta({ description: 'Text that visitors consent to.' }),
    thank_you_text: z.string().meta({ description: 'Text that visitors see after submitting.' }),
    theme: Theme,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Project', description: 'A project collects feedback for one website or product.' })

const optional = {
  slug: Slug.optional().meta({ description: 'Short name, unique in the team. By default, made from the name.' }),
  website_url: HttpUrl.nullable().optional().meta({ description: 'Website that the feedback is about.', example: 'https://example.com' }),
  collects: z
    .strictObject({
      text: z.boolean().optional().meta({ description: 'Whether visitors can submit text.' }),
      video: z.boolean().optional().meta({ description: 'Whether visitors can submit videos.' }),
      rating: z.boolean().optional().meta({ description: 'Whether the form asks for a rating.' }),
    })
    .optional()
    .meta({ id: 'CollectsChange', description: 'What to collect from visitors. Omitted fields stay unchanged; all are true at first.' }),
  consent_text: LongText.optional().meta({ description: 'Text that visitors consent to.', example: 'You may publish this.' }),
  thank_you_text: LongText.optional().meta({ description: 'Text that visitors see after submitting.', example: 'Thank you!' }),
  theme: z
    .strictObject({
      color: Color.nullable().optional(),
      logo_url: HttpUrl.nullable().optional().meta({
        description: 'Address of the logo: a PNG, JPEG, GIF, WebP or AVIF image of at most 5 MB. The service copies it.',
      }),
    })
    .optional()
    .meta({ id: 'ThemeChange', description: 'Changes to the look. Omitted fields stay unchanged.' }),
}
const ProjectName = Name.meta({ description: 'Name of the project.', example: 'Website' })

const PublicProject = z
  .object({
    name: z.string().meta({ description: 'Name of the project.' }),
    website_url: z.string().nullable().meta({ description: 'Website that the feedback is about.' }),
    collects: Collects,
    consent_text: z.string().meta({ description: 'Text that visitors consent to.' }),
    thank_you_text: z.string().meta({ description: 'Text that visitors see after submitting.' }),
    theme: PublicTheme,
    form_token: z.string().meta({ description: 'Send it back with the submission. It proves when the form was opened.' }),
  })
  .meta({ id: 'PublicProject', description: 'The public data of a project, for showing its form.' })

export const projects = {
  list: operation({
    method: 'GET',
    path: `${TEAM}/projects/`,
    summary: 'List the projects of a team',
    scope: 'read:projects',
    role: 'viewer',
    input: TeamRef.extend(Page.shape),
    output: listOf('Project', Project),
  }),
  create: operation({
    method: 'POST',
    path: `${TEAM}/projects/`,
    status: 201,
    summary: 'Create a project',
    scope: 'write:projects',
    role: 'admin',
    quota: 'projects',
    errors: ['already_exists'],
    input: TeamRef.extend({ name: ProjectName, ...optional }),
    output: Project,
  }),
  retrieve: operation({
    method: 'GET',
    path: `${PROJECT}/`,
    summary: 'Retrieve a project',
    scope: 'read:projects',
    role: 'viewer',
    input: ProjectRef,
    output: Project,
  }),
  update: operation({
    method: 'PATCH',
    path: `${PROJECT}/`,
    summary: 'Update a project',
    description: 'JSON Merge Patch (RFC 7396): omitted fields stay unchanged.',
    scope: 'write:projects',
    role: 'admin',
    errors: ['already_exists'],
    input: ProjectRef.extend({ name: ProjectName.optional(), ...optional }),
    output: Project,
  }),
  delete: operation({
    method: 'DELETE',
    path: `${PROJECT}/`,
    summary: 'Delete a project',
    description: 'Deletes the project and everything in it, including its public keys and public items, at once.',
    scope: 'write:projects',
    role: 'admin',
    input: ProjectRef,
    output: NoContent,
  }),
}

/** The project of a public key, on the public plane. */
export const publicProjects = {
  retrieve: operation({
    method: 'GET',
    path: `${PUBLIC_PROJECT}/`,
    access: 'public',
    summary: 'Retrieve a public project',
    input: PublicKeyRef,
    output: PublicProject,
  }),
}
