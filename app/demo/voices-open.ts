import type { RejectedVoice, Voice } from './voice.ts'

/** What waits for a decision, oldest first. */
export const pendingVoices: readonly Voice[] = [
  {
    days: 6,
    who: ['Ingrid Solheim', 'Daglig leder', 'Fjordkafeen'],
    rating: 5,
    body: 'Ferry times change, people change, and the rota changes with them. I publish twice a day in July and nobody complains any more.',
  },
  {
    days: 5,
    who: ['Carlos Mendoza', 'Gerente', 'Taquería Mendoza'],
    rating: 4,
    language: 'es',
    body: 'Muy útil para los turnos partidos. La app a veces tarda en abrir por la mañana.',
  },
  {
    days: 4,
    who: ['Beth Nakamura', 'Studio owner', 'Clay & Kiln'],
    rating: 2,
    title: 'Not sure that it is for us',
    body: 'We are three people, and two of us are married. The setup asked about departments and cost centres before it let me write a single name into a day. I got there in the end.',
  },
  { days: 3, who: ['Anonymous visitor'], rating: 5, body: 'love it', consent: 'none' },
  {
    days: 3,
    who: ['Élodie Garnier', 'Responsable', 'Librairie Garnier'],
    rating: 5,
    language: 'fr',
    title: 'Une vraie tranquillité',
    body: "Trois étudiants, deux salariées, et des horaires qui bougent à chaque partiel. Je partage le planning le jeudi, chacun répond depuis son téléphone, et le samedi je n'ai plus de surprise.",
  },
  {
    days: 2,
    who: ['Omar Farouk', 'مدير الفرع', 'صيدلية النور'],
    rating: 4,
    language: 'ar',
    body: 'التطبيق سهل، والموظفون تعلّموه في يوم واحد. أتمنى إضافة التقويم الهجري.',
  },
  {
    days: 2,
    who: ['Wei Chen', 'Operations', 'Parcel Loop'],
    rating: 3,
    body: 'Solid on the phone. On the tablet in the depot the week view cuts off Sunday, so our drivers think that they are free.',
    channel: 'api',
  },
  {
    days: 1,
    who: ['高橋 健', '副店長', 'みなと書店'],
    rating: 5,
    language: 'ja',
    body: 'アルバイトの学生がすぐに使えました。説明書は一度も開いていません。',
  },
  {
    days: 0,
    who: ['Nadia Benali', 'Head of front desk', 'Hôtel du Parc'],
    rating: 5,
    body: 'Night desk, day desk, breakfast: one page. When a guest asks who checked them in on Tuesday, I know.',
  },
]

/** What the team has rejected, oldest first. */
export const rejectedVoices: readonly RejectedVoice[] = [
  { days: 149, who: ['SEO Experts 24'], rating: 5, body: 'Get your site on page one! Visit us today.', reason: 'Advertising.' },
  {
    days: 127,
    who: ['Liam Murphy', undefined, 'Cliffside'],
    rating: 1,
    title: 'Not what I was looking for',
    body: 'I wanted a payroll tool. This is not one.',
    reason: 'About another kind of product. Answered by mail.',
  },
  {
    days: 98,
    who: ['J.'],
    rating: 1,
    body: 'My manager Karen at the Leeds branch uses this to give me every weekend.',
    reason: 'Names a person who did not agree to it.',
  },
  { days: 72, who: ['test test'], rating: 3, body: 'asdf test 123', reason: 'A test.' },
  {
    days: 43,
    who: ['Diego Rossi', 'Titolare', 'Rossi Caffè'],
    rating: 2,
    body: 'The invoice was charged twice and nobody has answered for three days.',
    reason: 'A support case, not a review. Handed to billing; refunded.',
  },
  {
    days: 21,
    who: ['Jonas Weber', 'Inhaber', 'Bäckerei Weber & Söhne'],
    rating: 5,
    language: 'de',
    body: 'Wir backen ab drei Uhr nachts, da will niemand eine komplizierte App.',
    reason: 'Repeats an earlier one by the same person.',
  },
]
