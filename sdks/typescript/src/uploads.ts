export { uploadImportFile, uploadVideoFile } from '@earshot/contracts/client'
