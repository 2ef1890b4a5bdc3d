/** Whether tests run in their long forms, as `npm run test:fault:long` does. */
export const isLongForm = process.env.FAULT_FORM === 'long'
