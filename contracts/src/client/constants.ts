/** What programs need of the contracts that load no schema. */

export { commonLanguages } from '../common-languages.ts'
export { csvCell } from '../csv-cell.ts'
export { durations } from '../durations.ts'
export { fixedScales, grouped, sizes } from '../limits.ts'
export { kebabCase, takesKey } from '../operation-names.ts'
export { plans } from '../plan-table.ts'
export { eventTypes } from '../schemas/event-descriptions.ts'
export { importFields } from '../schemas/import-fields.ts'
export { type AnswerValue, comparisons, isShown } from '../surveys/conditions.ts'
export { type ClientOperation, type OperationTexts, readOperation } from './operation.ts'
export { operations } from './operations.ts'
