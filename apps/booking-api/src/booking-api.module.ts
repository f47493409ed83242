/** Joins the desks to the resources they work with. The process starts and stops these in order, see main.ts. */
import { type DynamicModule, Module } from '@nestjs/common';
import type { OrderState } from '@seatlog/booking-database';
import type { Logger } from '@seatlog/observability';
import type { SeatLock } from '@seatlog/seat-lock';
import type { ApiMetrics } from './api-metrics.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { CatalogueKeeper } from './catalogue/catalogue-keeper.ts';
import type { CatalogueSource } from './catalogue/catalogue-source.ts';
import { EventsController } from './catalogue/events-controller.ts';
import { SeatLists } from './catalogue/seat-list.ts';
import type { Configuration } from './configuration.ts';
import type { PaymentGateway } from './payments/payment-gateway.ts';
import { OrderDesk } from './reservations/order-desk.ts';
import { ReservationDesk } from './reservations/reservation-desk.ts';
import type { ReservationPublisher } from './reservations/reservation-publisher.ts';
import { ReservationsController } from './reservations/reservations-controller.ts';

export type SeatLockPort = Pick<
  SeatLock,
  'acquire' | 'complete' | 'markUnknown' | 'release' | 'readSeats' | 'isWarm' | 'reconcile'
>;

export interface ApiResources {
  readonly configuration: Readonly<
    Pick<
      Configuration,
      | 'TOKEN_SECRET'
      | 'PAYMENT_TIMEOUT_MS'
      | 'CATALOGUE_REFRESH_MS'
      | 'RECONCILE_INTERVAL_MS'
      | 'SEAT_LIST_CACHE_MS'
    >
  >;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  readonly seatLock: SeatLockPort;
  readonly source: CatalogueSource;
  readonly payments: PaymentGateway;
  readonly publisher: ReservationPublisher;
  readonly readOrder: (orderId: string) => Promise<OrderState | null>;
  readonly now: () => number;
  readonly monotonic: () => number;
}

@Module({})
export class BookingApiModule {
  static with(resources: ApiResources): DynamicModule {
    const { configuration, monotonic } = resources;
    const catalogue = new Catalogue();
    const keeper = new CatalogueKeeper({
      ...resources,
      catalogue,
      refreshMs: configuration.CATALOGUE_REFRESH_MS,
      reconcileMs: configuration.RECONCILE_INTERVAL_MS,
    });
    const reservations = new ReservationDesk({
      ...resources,
      catalogue,
      tokenSecret: configuration.TOKEN_SECRET,
      paymentTimeoutMs: configuration.PAYMENT_TIMEOUT_MS,
      onWarming: () => keeper.wake(),
    });
    const seatLists = new SeatLists({ ...resources, cacheMs: configuration.SEAT_LIST_CACHE_MS, monotonic });
    const orders = new OrderDesk({ ...resources, tokenSecret: configuration.TOKEN_SECRET });
    return {
      module: BookingApiModule,
      controllers: [EventsController, ReservationsController],
      providers: [
        { provide: Catalogue, useValue: catalogue },
        { provide: CatalogueKeeper, useValue: keeper },
        { provide: SeatLists, useValue: seatLists },
        { provide: ReservationDesk, useValue: reservations },
        { provide: OrderDesk, useValue: orders },
      ],
    };
  }
}
