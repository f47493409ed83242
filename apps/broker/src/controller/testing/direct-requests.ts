/** Requests to a controller that is in the test itself: answered within `send`, or once what they wait for is committed. */
import type { ControllerServices } from '../../quorum/controller-services.ts';
import type { ControllerRequests } from '../controller-requests.ts';
import { LocalController } from '../local-controller.ts';

export function directRequests(services: ControllerServices): ControllerRequests {
  const controller = new LocalController(services);
  return {
    send: (api, version, body, _options, done) => controller.ask(api, version, body, done),
  };
}
