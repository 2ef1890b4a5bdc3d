/** How a command ends. What each means is in the help and in docs/command-line.md. */
export const ExitCode = {
  success: 0,
  /** Refused by the service; also output that cannot be written, and a bug. */
  refused: 1,
  usage: 2,
  notSignedIn: 3,
  notReachable: 4,
  /** After Ctrl-C, as shells report it. */
  interrupted: 130,
} as const
