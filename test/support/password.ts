/** Of everybody who has one. */
export const PASSWORD = 'correct horse battery staple'
