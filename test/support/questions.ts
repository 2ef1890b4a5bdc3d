/** A question that must be answered, and one that is shown after a low score. */
export const NPS = { ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?', required: true }
export const WHY = {
  ref: 'why',
  type: 'long_text',
  title: 'What could be better?',
  show_if: { match: 'all', rules: [{ ref: 'recommend', op: 'lte', value: 6 }] },
}
