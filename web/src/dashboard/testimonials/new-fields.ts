/** What the form for a new testimonial holds, as it is typed. */
export const EMPTY = {
  body: '',
  title: '',
  rating: '',
  name: '',
  email: '',
  role: '',
  company: '',
  website: '',
  provider: '',
  url: '',
  tags: '',
  granted: false,
  agreedTo: '',
  featured: false,
  isApproved: true,
}
export type NewFields = typeof EMPTY

/** Returns the input of `testimonials.create`. */
export function createInput(fields: NewFields) {
  const { title, rating, name, email, role, company, website, provider, url, agreedTo } = fields
  return {
    body: fields.body.trim(),
    title: orNull(title),
    rating: rating === '' ? null : Number(rating),
    author: { name: name.trim(), email: orNull(email), title: orNull(role), company: orNull(company), website_url: orNull(website) },
    source: { provider: orNull(provider), url: orNull(url) },
    consent: { granted: fields.granted, text: orNull(agreedTo) },
    tags: readTags(fields.tags),
    featured: fields.featured,
  }
}

/** "pricing, support" as a list. */
export function readTags(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
    ),
  ]
}

function orNull(text: string): string | null {
  return text.trim() || null
}
