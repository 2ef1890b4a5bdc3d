import { z } from 'zod'

const star = z.int().meta({ description: 'Stars.', example: 5 })
const type = <Name extends string>(name: Name) => z.literal(name).meta({ description: `Always ${name}.` })

const AggregateRating = z
  .object({
    '@type': type('AggregateRating'),
    ratingValue: z.number().meta({ description: 'Average rating, with two decimals.', example: 4.75 }),
    ratingCount: z.int().meta({ description: 'Number of ratings.' }),
    bestRating: star,
    worstRating: star,
  })
  .meta({ id: 'AggregateRatingJsonLd', description: 'The ratings of the whole project. Absent without ratings.' })

const Review = z
  .object({
    '@type': type('Review'),
    author: z
      .object({ '@type': type('Person'), name: z.string().meta({ description: 'Name of the person.' }) })
      .meta({ id: 'PersonJsonLd', description: 'The author.' }),
    datePublished: z.string().meta({ description: 'Date of approval.', example: '2026-11-20' }),
    reviewBody: z.string().meta({ description: 'The excerpt, or the beginning of the text.' }),
    reviewRating: z
      .object({ '@type': type('Rating'), ratingValue: star, bestRating: star, worstRating: star })
      .meta({ id: 'RatingJsonLd', description: 'The rating.' }),
  })
  .meta({ id: 'ReviewJsonLd', description: 'A rated item.' })

/** Reviews as search engines read them (schema.org). */
export const ReviewsJsonLd = z
  .object({
    '@context': z.literal('https://schema.org').meta({ description: 'Always https://schema.org.' }),
    '@type': type('Product'),
    name: z.string().meta({ description: 'Name of the project.' }),
    url: z.string().optional().meta({ description: 'Website of the project, if it has one.' }),
    aggregateRating: AggregateRating.optional(),
    review: z.array(Review).meta({ description: 'The first rated items of the widget.' }),
  })
  .meta({ id: 'ReviewsJsonLd', description: 'Items as schema.org JSON-LD, for pages that are rendered on a server.' })
