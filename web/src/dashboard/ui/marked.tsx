/** The words with the excerpt marked. */
export function Marked({ body, excerpt }: { body: string; excerpt: string | null }) {
  const start = excerpt === null ? -1 : body.indexOf(excerpt)
  if (excerpt === null || start < 0) return body
  return (
    <>
      {body.slice(0, start)}
      <mark>{excerpt}</mark>
      {body.slice(start + excerpt.length)}
    </>
  )
}
