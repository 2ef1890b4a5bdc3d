import { type AnswerKind, answers, type Holdings, type Move, passes } from './delivery-model.ts'

/** Before attempts 2 to 8, in seconds: 45 h in all. */
const DELAYS = [30, 120, 480, 1_920, 7_680, 30_720, 122_880]
const LEASE_SECONDS = 90
/** After so much of the lease a worker gives back what it claimed and never heard of. */
const UNHEARD_SECONDS = 15
const OVERLAP_SECONDS = 24 * 3_600

interface Delivery {
  trigger: 'auto' | 'manual'
  state: 'pending' | 'sending' | 'succeeded' | 'failed' | 'skipped'
  dueAt: number
  claim: Claim | null
  outcomes: string[]
}

interface Claim {
  delivery: Delivery
  /** Nobody's, once it crashed. */
  worker: Worker
  claimedAt: number
}

interface Worker {
  isDead: boolean
  held: Claim[]
}

/** An endpoint and its deliveries in memory, by the words of decisions.md §6. */
export class Model {
  private now = 0
  private readonly deliveries: Delivery[] = []
  private readonly workers: Worker[] = [hired(), hired()]
  private readonly endpoint = { state: 'active', consecutive_failures: 0, failing: false, succeeded: false }
  private rotatedAt = Number.NEGATIVE_INFINITY

  constructor(failedBefore: number) {
    this.add('auto', Array(failedBefore).fill('503'))
  }

  befall(move: Move): string {
    if (move.kind === 'claim') return this.claim(move.worker, true)
    if (move.kind === 'lose a claim') return this.claim(move.worker, false)
    if (move.kind === 'answer') return this.answer(take(this.worker(move.worker).held, move.held), move.answer)
    if (move.kind === 'redeliver') return this.redeliver()
    if (move.kind === 'sweep') return this.sweep(this.worker(move.worker))
    if (move.kind === 'hand back') this.handBack(take(this.worker(move.worker).held, move.held))
    if (move.kind === 'crash') {
      this.worker(move.worker).isDead = true
      this.workers[move.worker] = hired()
    }
    if (move.kind === 'pass') this.now += passes[move.time]
    if (move.kind === 'emit') this.add('auto')
    if (move.kind === 'rotate') this.rotatedAt = this.now
    if (move.kind === 'pause') this.endpoint.state = 'paused'
    if (move.kind === 'disable') this.endpoint.state = 'disabled'
    if (move.kind === 'resume') {
      if (this.endpoint.state === 'disabled') Object.assign(this.endpoint, { consecutive_failures: 0, failing: false })
      this.endpoint.state = 'active'
    }
    return ''
  }

  holdings(): Holdings {
    return { deliveries: this.deliveries.map((delivery) => this.line(delivery)), endpoint: { ...this.endpoint, rotated: this.isRotated() } }
  }

  private add(trigger: Delivery['trigger'], outcomes: string[] = []): void {
    const state = this.endpoint.state === 'active' ? 'pending' : 'skipped'
    this.deliveries.push({ trigger, state, dueAt: this.now, claim: null, outcomes })
  }

  private claim(place: number, isHeard: boolean): string {
    const worker = this.worker(place)
    const due = this.deliveries.filter(({ state, dueAt }) => this.endpoint.state === 'active' && state === 'pending' && dueAt <= this.now)
    for (const delivery of due) {
      delivery.state = 'sending'
      delivery.claim = { delivery, worker, claimedAt: this.now }
      delivery.outcomes.push('open')
      if (isHeard) worker.held.push(delivery.claim)
    }
    return `${due.length}${isHeard && due.length > 0 && this.isRotated() ? ' with both secrets' : ''}`
  }

  private answer(claim: Claim | undefined, kind: AnswerKind): string {
    if (!claim) return 'nothing'
    const { delivery } = claim
    if (delivery.claim !== claim) return 'stale'
    delivery.claim = null
    const { statusCode, error } = answers[kind]
    delivery.outcomes[delivery.outcomes.length - 1] = error?.code ?? String(statusCode)
    const delay = DELAYS[delivery.outcomes.length - 1]
    const isRetried = (kind === 'retryable' || kind === 'network') && delivery.trigger === 'auto' && delay !== undefined
    if (isRetried) delivery.dueAt = this.now + delay
    if (kind === 'success') delivery.state = 'succeeded'
    else delivery.state = isRetried ? 'pending' : 'failed'

    if (kind === 'success') Object.assign(this.endpoint, { consecutive_failures: 0, failing: false, succeeded: true })
    else if (delivery.trigger === 'auto') {
      this.endpoint.failing = true
      if (!isRetried) this.endpoint.consecutive_failures += 1
    }
    return 'applied'
  }

  private sweep(sweeper: Worker): string {
    const lost = this.deliveries.filter(({ claim }) => claim && this.isLost(claim, sweeper))
    for (const delivery of lost) {
      delivery.claim = null
      delivery.outcomes[delivery.outcomes.length - 1] = 'interrupted'
      delivery.state = delivery.outcomes.length < 8 ? 'pending' : 'failed'
      delivery.dueAt = this.now
    }
    return String(lost.length)
  }

  private isLost(claim: Claim, sweeper: Worker): boolean {
    const age = this.now - claim.claimedAt
    if (sweeper.held.includes(claim)) return false
    const isUnheard = claim.worker === sweeper && age > UNHEARD_SECONDS
    return claim.worker.isDead || age > LEASE_SECONDS || isUnheard
  }

  /** What was never sent is as if it had never been claimed. */
  private handBack(claim: Claim | undefined): void {
    if (!claim || claim.delivery.claim !== claim) return
    claim.delivery.claim = null
    claim.delivery.outcomes.pop()
    Object.assign(claim.delivery, { state: 'pending', dueAt: this.now })
  }

  private redeliver(): string {
    if (this.endpoint.state !== 'active') return 'state_conflict'
    this.add('manual')
    return 'made'
  }

  private line({ trigger, state, dueAt, claim, outcomes }: Delivery): string {
    const worker = claim && this.workers.indexOf(claim.worker)
    return [
      ...[trigger, state, outcomes.length],
      ...(state === 'pending' ? [dueAt <= this.now ? 'due' : 'later'] : []),
      ...(worker === null ? [] : [`of ${worker === -1 ? '?' : worker}`]),
      ...(outcomes.length > 0 ? [outcomes.join(',')] : []),
    ].join(' ')
  }

  private isRotated(): boolean {
    return this.now - this.rotatedAt < OVERLAP_SECONDS
  }

  private worker(place: number): Worker {
    const worker = this.workers[place]
    if (!worker) throw new Error('There are two workers')
    return worker
  }
}

function hired(): Worker {
  return { isDead: false, held: [] }
}

function take<Item>(items: Item[], place: number): Item | undefined {
  return items.splice(place % items.length, 1)[0]
}
