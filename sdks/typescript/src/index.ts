export { createClient, EarshotApiError, EarshotConnectionError, EarshotTimeoutError } from '@earshot/contracts/client'
