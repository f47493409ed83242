/**
 * Node's connector, which cuts a connection when an answer has come and before the client sees it: the broker did what
 * was asked, and nobody is told. Works with whatever brokers the client is led to.
 */
import { nodeConnector, type Connector, type Link, type LinkEvents } from '@seatlog/kafka-client';

export class CuttingConnector implements Connector {
  /** Asked for each piece of an answer: true cuts its connection there. */
  cutAnswer: () => boolean = () => false;
  #cuts = 0;

  get cuts(): number {
    return this.#cuts;
  }

  open(host: string, port: number, events: LinkEvents): Link {
    let isCut = false;
    const link = nodeConnector.open(host, port, {
      connected: () => events.connected(),
      target: () => events.target(),
      drained: () => events.drained(),
      closed: (reason) => events.closed(reason),
      received: (length) => {
        if (isCut) return;
        if (this.cutAnswer()) {
          isCut = true;
          this.#cuts += 1;
          link.destroy();
        } else {
          events.received(length);
        }
      },
    });
    return link;
  }
}
