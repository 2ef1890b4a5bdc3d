import { setTimeout as delay } from 'node:timers/promises'
import { type ServiceProcess, startService } from '../../support/service-process.ts'

const RETRY_MS = 200

export type Role = 'api' | 'worker'

/** A time span on the clock of this machine, which PostgreSQL and the receiver share. */
export interface Span {
  fromMs: number
  toMs: number
}

export interface Fleet {
  /** The api processes that run. */
  apis: () => ServiceProcess[]
  /** Kills a running process and restarts it at once. Returns its role. */
  kill: (victim: number) => Promise<Role>
  /** Pauses a running process of these roles for a while. Returns its role. */
  pause: (victim: number, pauseMs: number, roles: readonly Role[]) => Promise<Role>
  /** Resolves when all run. */
  whole: () => Promise<void>
  /** The output of processes that ended by themselves. */
  unexpectedEnds: string[]
  /** Times when no worker ran. */
  idle: Span[]
  [Symbol.asyncDispose]: () => Promise<void>
}

interface Member {
  role: Role
  running: ServiceProcess | null
  isPaused: boolean
  /** Resolves when it runs, or when the fleet is stopped. */
  started: Promise<void>
}

/** Starts processes on one PostgreSQL and keeps them running, like a process manager. */
export async function startFleet(environment: Record<string, string>, roles: readonly Role[]): Promise<Fleet> {
  const unexpectedEnds: string[] = []
  const idle: Span[] = []
  let idleFromMs: number | null = null
  let isStopped = false

  /** Called after each change. */
  function watchWorkers(): void {
    const doWork = members.some(({ role, running, isPaused }) => role === 'worker' && running && !isPaused)
    if (doWork && idleFromMs !== null) idle.push({ fromMs: idleFromMs, toMs: Date.now() })
    idleFromMs = doWork ? null : (idleFromMs ?? Date.now())
  }

  async function start(member: Member): Promise<void> {
    while (!isStopped && !member.running) {
      // The database may be away.
      member.running = await startService({ ...environment, EARSHOT_ROLE: member.role }).catch(() => delay(RETRY_MS, null))
    }
    watchWorkers()
    const { running } = member
    void running?.exit.then(({ output }) => {
      // An intended end takes it out of the fleet first.
      if (member.running === running) unexpectedEnds.push(output)
    })
  }

  const members = roles.map((role): Member => ({ role, running: null, isPaused: false, started: Promise.resolve() }))
  const whole = async () => void (await Promise.all(members.map(({ started }) => started)))
  for (const member of members) member.started = start(member)
  await whole()
  return {
    apis: () => members.flatMap(({ role, running }) => (role === 'api' && running ? [running] : [])),
    async kill(victim) {
      const { member, running } = await victimOf(members, victim)
      member.running = null
      watchWorkers()
      member.started = running.stop('SIGKILL').then(() => start(member))
      return member.role
    },
    async pause(victim, pauseMs, roles) {
      const candidates = members.filter(({ role }) => roles.includes(role))
      const { member, running } = await victimOf(candidates, victim)
      process.kill(running.pid, 'SIGSTOP')
      member.isPaused = true
      watchWorkers()
      await delay(pauseMs)
      process.kill(running.pid, 'SIGCONT')
      member.isPaused = false
      watchWorkers()
      return member.role
    },
    ...{ whole, unexpectedEnds, idle },
    async [Symbol.asyncDispose]() {
      isStopped = true
      await whole()
      const running = members.flatMap((member) => member.running ?? [])
      for (const member of members) member.running = null
      await Promise.all(running.map((service) => service[Symbol.asyncDispose]()))
    },
  }
}

/** Returns one of the running processes, or the next to run. */
async function victimOf(members: readonly Member[], victim: number): Promise<{ member: Member; running: ServiceProcess }> {
  for (;;) {
    const candidates = members.flatMap((member) => (member.running ? [{ member, running: member.running }] : []))
    const chosen = candidates[victim % candidates.length]
    if (chosen) return chosen
    await Promise.race(members.map(({ started }) => started))
  }
}
