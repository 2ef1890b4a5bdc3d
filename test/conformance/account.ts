/** Somebody who signs in by password. */
export const account = { email: 'grace@example.com', password: 'seven quiet engines hum' }
