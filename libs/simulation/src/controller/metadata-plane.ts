/**
 * How nodes reach the metadata: brokers ask whoever is the active controller, and learn what is committed. One
 * controller that never fails, or a quorum of them, is behind it.
 */
import type { ClusterImage } from '@seatlog/metadata-quorum';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import type { ControllerService } from './controller-service.ts';

export interface ControllerCall<Answer> {
  readonly label: string;
  readonly from: number;
  /** Runs on the active controller. */
  readonly serve: (service: ControllerService, respond: (answer: Answer) => void) => void;
  readonly answered: (answer: Answer) => void;
  /** Nobody answered; it may have been done. */
  readonly failed: (reason: string) => void;
  readonly takesLateAnswers?: boolean;
}

export interface MetadataPlane {
  /** What is committed, as the one who knows most of it has it. */
  readonly committedImage: ClusterImage;
  /** The service of the controller that leads in the latest epoch; null while there is none. */
  readonly activeService: ControllerService | null;
  /** The node that it is on; -1 while there is none. */
  readonly activeNode: number;
  call<Answer>(call: ControllerCall<Answer>): void;
  /** A broker's process has started: from now on `arrived` is called with what is committed, in rising order. */
  watch(process: SimulatedProcess, arrived: (image: ClusterImage) => void): void;
  /** A broker's disk is another: what it kept of the metadata is gone with it. */
  diskLost(node: number): void;
}
