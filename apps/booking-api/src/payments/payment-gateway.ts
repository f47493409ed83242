/**
 * The payment provider, as the booking API needs it. An authorization belongs to an attempt: asking again for the same
 * attempt gives the same answer and charges nobody twice, and an authorization that is never used runs out by itself.
 */
export interface PaymentRequest {
  readonly attemptId: string;
  readonly orderId: string;
  readonly userId: string;
  readonly amount: number;
  readonly currency: string;
  readonly method: 'card';
  readonly cardToken: string;
}

export type PaymentResult =
  | { readonly kind: 'approved'; readonly reference: string }
  /** `reason` is the provider's, shown to the buyer. */
  | { readonly kind: 'declined'; readonly reason: string };

/** A class, so that it can be named where it is injected. */
export abstract class PaymentGateway {
  /** Rejects if the provider cannot be asked or does not answer before `signal` fires: the outcome is unknown then. */
  abstract authorize(request: PaymentRequest, signal: AbortSignal): Promise<PaymentResult>;

  /** Gives an authorization back, or sees to it that a late one is. May be repeated. */
  abstract void(attemptId: string): Promise<void>;
}
