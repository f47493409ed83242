/** Which ticketing processes a stack has. Names are folders below apps/. */

export interface AppPlan {
  readonly app: string;
  /** Of the process; differs from the app's for further instances. */
  readonly name: string;
  readonly port?: number;
}

export function planApps(options: {
  readonly workers: number;
  readonly bookingApiPort: number | undefined;
}): readonly AppPlan[] {
  const { workers, bookingApiPort } = options;
  return [
    {
      app: 'booking-api',
      name: 'booking-api',
      ...(bookingApiPort === undefined ? {} : { port: bookingApiPort }),
    },
    ...Array.from({ length: workers }, (_, index) => ({
      app: 'reservation-worker',
      name: index === 0 ? 'reservation-worker' : `reservation-worker-${index + 1}`,
    })),
    { app: 'outbox-relay', name: 'outbox-relay' },
    { app: 'refund-notifier', name: 'refund-notifier' },
  ];
}
