export const TUS_VERSION = '1.0.0'
/** The extensions of tus 1.0 that uploads have. */
export const EXTENSIONS = ['expiration', 'checksum', 'termination', 'creation-defer-length']
