/** The common password of the tests’ users. */
export const PASSWORD = 'correct horse battery staple'
