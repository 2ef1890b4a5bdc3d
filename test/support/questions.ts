/** A question that must be answered, one that is shown after a low score, and one with options. */
export const NPS = { ref: 'recommend', type: 'nps', title: 'How likely are you to recommend us?', required: true }
export const WHY = {
  ref: 'why',
  type: 'long_text',
  title: 'What could be better?',
  show_if: { match: 'all', rules: [{ ref: 'recommend', op: 'lte', value: 6 }] },
}
export const SOURCE = {
  ref: 'source',
  type: 'single_choice',
  title: 'Where did you hear of us?',
  options: [
    { value: 'friend', label: 'A friend' },
    { value: 'web', label: 'The web' },
  ],
}
