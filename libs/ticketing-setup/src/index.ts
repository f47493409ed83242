/**
 * What has to be there before tickets are sold, for the demo, for `apps/set-up` and so for Docker alike. Everything
 * here bears being run again. The schema comes from `migrate` of `@seatlog/booking-database`.
 */
export { demoEvent } from './demo-event.ts';
export { putOnSale } from './put-on-sale.ts';
export { createTicketingTopics, PARTITIONS, ticketingTopics } from './topics.ts';
