/** `npm run test:fault` runs the long forms of tests, `npm test` the short ones. */
export const isLongForm = process.env.FAULT_FORM === 'long'
