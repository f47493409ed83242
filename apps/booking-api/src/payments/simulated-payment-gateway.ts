/**
 * A provider that decides by the card token alone, and so gives the same answer whenever it is asked:
 *
 * - `tok_declined...`, `tok_insufficient_funds...`: declined, for that reason
 * - `tok_slow_<ms>...`: approved after that many milliseconds
 * - `tok_unavailable...`: the provider cannot be reached
 * - any other `tok_...`: approved
 * - anything else: declined as an invalid card
 */
import { setTimeout as pause } from 'node:timers/promises';
import { PaymentGateway, type PaymentRequest, type PaymentResult } from './payment-gateway.ts';

const DECLINED = ['insufficient_funds', 'declined'] as const;
const SLOW = /^tok_slow_(\d{1,5})/;

export class SimulatedPaymentGateway extends PaymentGateway {
  async authorize(request: PaymentRequest, signal: AbortSignal): Promise<PaymentResult> {
    const { cardToken, attemptId } = request;
    if (!cardToken.startsWith('tok_')) return { kind: 'declined', reason: 'invalid_card' };
    const reason = DECLINED.find((each) => cardToken.startsWith(`tok_${each}`));
    if (reason !== undefined) return { kind: 'declined', reason };
    if (cardToken.startsWith('tok_unavailable')) throw new Error('the payment provider cannot be reached');
    const [, slowMs] = SLOW.exec(cardToken) ?? [];
    if (slowMs !== undefined) await pause(Number(slowMs), undefined, { signal });
    return { kind: 'approved', reference: `sim_${attemptId}` };
  }

  async void(): Promise<void> {
    // It keeps no state: there is no authorization to give back.
  }
}
