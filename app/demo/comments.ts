/** Words of a respondent, with their language unless it is English. */
export type Comment = string | readonly [language: string, words: string]

/** What respondents write about their score, by the group that the score belongs to. Each is used once, oldest first. */
export const comments: Readonly<Record<'promoter' | 'passive' | 'detractor', readonly Comment[]>> = {
  detractor: [
    'The app logged me out in the middle of a swap, twice.',
    'Too many steps to give away one shift.',
    'I never got the reminder and came in on my day off.',
    'Setting up took us a whole week.',
    ['de', 'Kein Offline-Modus, und bei uns im Keller gibt es keinen Empfang.'],
    'Hours for the night shift were wrong until support fixed it by hand.',
    ['es', 'Demasiado caro para un bar de cinco personas.'],
    'We cannot print a month on one page.',
    'Support answered after four days.',
    'My manager likes it more than I do.',
    'It still needs a spreadsheet next to it.',
    'Holidays and sick days are in two different places.',
    ['fr', 'Il manque les jours fériés régionaux.'],
    'The week view on the tablet is cut off.',
  ],
  passive: [
    'Good, but I would pay for a proper month view.',
    'Works. The search could be faster.',
    'Fine for us. No strong feelings.',
    'The phone app is better than the website.',
    ['de', 'Solide, aber die Einrichtung war mühsam.'],
    'I like the swaps. I do not like the notifications at six in the morning.',
    ['fr', 'Bien, mais les exports demandent du travail.'],
    'It got better this year.',
    'Would be a nine with an integration for our till.',
    ['es', 'Bastante bien, me falta el calendario de festivos.'],
    'Good value for a small team.',
    'Nice, but new people need a tour.',
    'The colours are hard to tell apart for me.',
    'Almost there: let me lock a published week.',
    'Dark mode, please.',
  ],
  promoter: [
    'I finally have Sundays.',
    'We stopped using paper.',
    'Swaps without phone calls.',
    ['de', 'Mein Team hat es ohne Schulung verstanden.'],
    'Support fixed a problem while I was still describing it.',
    ['es', 'Todo el mundo sabe cuándo trabaja.'],
    'It just keeps working, also in the cold store.',
    'Best thing that we bought last year, and the cheapest.',
    ['fr', 'Mes étudiants répondent en une minute.'],
    'Copy the week, move two names, publish.',
    'The offline mode is real.',
    'They listened about the night shifts.',
    'My mother runs our shop and she uses it.',
    'The warning before six days in a row saved me from a mistake.',
    'Printing works now, thank you.',
    'Fair price and nobody calls me to sell me more.',
    'I open it in the morning and I am done.',
    ['de', 'Endlich stimmen die Nachtstunden.'],
    'The API let us connect the till in an afternoon.',
    'New colleagues find their way alone.',
    ['es', 'Recomendado ya a dos vecinos.'],
    'Leave requests are answered on the same day now.',
    'It makes me look organised.',
    'Regional holidays! Finally!',
    'The tablet in the depot shows the whole week now.',
    ['fr', 'Simple, rapide, efficace.'],
    'I have recommended it to three other clinics.',
  ],
}

/** What people miss who are not satisfied, oldest first. */
export const missing: readonly Comment[] = [
  'A view of the whole month.',
  'An export that our payroll office can read.',
  'Locking a week once it is published.',
  'Fewer notifications.',
  ['de', 'Feiertage nach Bundesland.'],
  'Larger type when I print.',
  'A way to plan crews and not single people.',
  ['es', 'Una versión más ligera para móviles antiguos.'],
  'Seeing who has not opened the rota yet.',
  'Rules about who may not work together.',
]

export const firstNames: readonly string[] = [
  ...['Ada', 'Bruno', 'Chiara', 'David', 'Elif', 'Farid', 'Greta', 'Hassan', 'Ines', 'Jakub', 'Kaja', 'Leo', 'Mina', 'Nils', 'Olga'],
  ...['Paulo', 'Rosa', 'Stefan', 'Tariq', 'Uma', 'Vera', 'Wanda', 'Yusuf', 'Zora'],
]
export const lastNames: readonly string[] = [
  ...['Andersen', 'Baptista', 'Costa', 'Demir', 'Eriksson', 'Fuchs', 'Girard', 'Horvat', 'Ivanova', 'Jansen', 'Keller', 'Lund', 'Moreau'],
  ...['Novak', 'Osei', 'Pereira', 'Quinn', 'Ricci', 'Schmidt', 'Torres', 'Usman', 'Vidal', 'Wagner', 'Yilmaz'],
]

/** Returns the language of a comment, and its words. */
export function spoken(comment: Comment): readonly [language: string, words: string] {
  return typeof comment === 'string' ? ['en', comment] : comment
}
