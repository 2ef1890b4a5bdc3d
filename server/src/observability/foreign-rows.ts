import { Counter, type Registry } from 'prom-client'

/** Returns a function that counts rows of other teams that were refused. Anything but 0 is a defect to report. */
export function countForeignRows(metrics: Registry): () => void {
  const refused = new Counter({
    name: 'earshot_foreign_rows_total',
    help: 'Requests refused because a statement returned a row of another team. Anything but 0 is a defect.',
    registers: [metrics],
  })
  return () => refused.inc()
}
