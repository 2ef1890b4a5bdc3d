/**
 * A file of reviews in the form in which Trustpilot exports them. The last three rows are refused: for a rating above 5, for a date that
 * there is not, and without words.
 */
export const REVIEWS_CSV = `Review Id,Review Created (UTC),Review Username,Review User Email,Review Title,Review Content,Review Stars,Source Of Review,Review Language
nl-1001,2026-05-04 08:12:00,Marta Kovács,marta.kovacs@example.com,Calm Mondays,"We run two kitchens. On Monday at six everybody already knows where they are needed, and I can cook instead of phoning.",5,Organic,en
nl-1002,2026-05-11 17:40:00,Dwayne Palmer,,Saved my summer,"Nine lifeguards, one pool, thirty swaps a week. I stopped keeping a notebook.",5,Invitation,en
nl-1003,2026-05-19 06:55:00,Giulia Ferri,giulia.ferri@example.com,Two stars for now,"The rota itself is fine. The export to our payroll office needed three attempts and a colleague who knows spreadsheets.",2,Organic,en
nl-1004,2026-06-02 12:31:00,Anneke Bos,anneke.bos@example.com,,"Fair price, clear invoice, no salesman.",5,Organic,en
nl-1005,2026-06-09 20:03:00,Piet Verhoeven,,Prima,"Works well for our rowing club, too, although we are not a company.",4,Invitation,en
nl-1006,2026-06-15 09:27:00,Katrin Vogt,katrin.vogt@example.com,Gut für Teilzeit,"Vierzehn Teilzeitkräfte und kein einziges Missverständnis im Mai.",5,Organic,de
nl-1007,2026-06-30 14:48:00,Sunil Perera,sunil.perera@example.com,,"Good app. Please add Sinhala.",4,Organic,en
nl-1008,2026-07-07 10:10:00,Eleanor Whitby,,Exactly enough,"I am seventy-one and run a garden centre. If I can publish a rota, you can.",5,Invitation,en
nl-1009,2026-07-21 19:36:00,Bruno Salles,bruno.salles@example.com,,"A equipe aprendeu sozinha, e eu também.",5,Organic,pt
nl-1010,2026-08-03 07:19:00,Ania Zielińska,ania.z@example.com,Almost,"Lovely on the phone. Printing still wastes half of the paper.",3,Organic,en
nl-1011,2026-08-18 16:22:00,Théo Lambert,,Efficace,"Je gagne deux heures par semaine, et personne ne me demande plus ses horaires.",5,Invitation,fr
nl-1012,2026-09-09 11:54:00,Zanele Dube,zanele.dube@example.com,For a whole clinic,"Eleven nurses approved of something unanimously. That had not happened before.",5,Organic,en
nl-1013,2026-09-24 13:05:00,Hugo Brandt,,Solid,"Does not crash, does not nag, does not lose anything.",4,Organic,en
nl-1014,2026-10-06 09:00:00,Robin Lake,robin.lake@example.com,Top,"Ten out of ten.",10,Organic,en
nl-1015,2026-13-40 18:45:00,Owen Reece,,Reminders,"Very happy with the reminders.",5,Organic,en
nl-1016,2026-10-20 08:33:00,Petra Simmons,petra.simmons@example.com,,,4,Invitation,en
`
