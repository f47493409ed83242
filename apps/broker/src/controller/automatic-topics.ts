/**
 * Topics that a broker has created because somebody asked for them: by a Metadata request, or because a coordinator needs
 * its log. The broker's own defaults stand in the request, which goes to the active controller.
 *
 * A topic that is being created is not asked for a second time: who comes meanwhile waits for the same answer. `done` is
 * called once the topics have leaders that this broker knows of, with the error of each that was not created; a topic
 * that exists already is no error.
 */
import { apis, ErrorCode, type RequestInput } from '@seatlog/kafka-protocol';
import type { Timers } from '@seatlog/runtime';
import type { MetadataService } from '../metadata/metadata-service.ts';
import { APPLIED_LIMIT_MS, topicsServe, whenShown } from './applied-here.ts';
import type { ControllerRequests } from './controller-requests.ts';

/** How long the controller may take. */
const CREATION_MS = 10_000;
/** So many topics may be under way; who asks for more is told to ask again. */
const MAX_UNDER_WAY = 1000;

export type TopicToCreate = RequestInput<typeof apis.createTopics>['topics'][number];

export interface CreationFailure {
  readonly errorCode: number;
  readonly errorMessage: string | null;
}

type Done = (failures: ReadonlyMap<string, CreationFailure>) => void;
type TopicDone = (failure: CreationFailure | null) => void;

export interface AutomaticTopicsOptions {
  readonly metadata: MetadataService;
  readonly controllerChannel: ControllerRequests;
  readonly timers: Timers;
}

export class AutomaticTopics {
  readonly #options: AutomaticTopicsOptions;
  /** Those that wait for a topic, by its name. */
  readonly #underWay = new Map<string, TopicDone[]>();

  constructor(options: AutomaticTopicsOptions) {
    this.#options = options;
  }

  create(topics: readonly TopicToCreate[], done: Done): void {
    const failures = new Map<string, CreationFailure>();
    const byName = new Map(topics.map((topic) => [topic.name, topic]));
    let missing = byName.size;
    if (missing === 0) return done(failures);
    const toSend: TopicToCreate[] = [];
    for (const topic of byName.values()) {
      this.#wait(topic, toSend, (failure) => {
        if (failure !== null) failures.set(topic.name, failure);
        missing -= 1;
        if (missing === 0) done(failures);
      });
    }
    if (toSend.length > 0) this.#send(toSend);
  }

  #wait(topic: TopicToCreate, toSend: TopicToCreate[], done: TopicDone): void {
    const waiting = this.#underWay.get(topic.name);
    if (waiting !== undefined) waiting.push(done);
    else if (this.#underWay.size >= MAX_UNDER_WAY) {
      done({
        errorCode: ErrorCode.THROTTLING_QUOTA_EXCEEDED,
        errorMessage: 'Too many topics are being created.',
      });
    } else {
      this.#underWay.set(topic.name, [done]);
      toSend.push(topic);
    }
  }

  #send(topics: readonly TopicToCreate[]): void {
    const { controllerChannel } = this.#options;
    const request = { topics, timeoutMs: CREATION_MS, validateOnly: false };
    const { maxVersion } = apis.createTopics;
    controllerChannel.send(apis.createTopics, maxVersion, request, { timeoutMs: CREATION_MS }, (outcome) => {
      if (outcome.kind === 'failed') {
        const failure = { errorCode: ErrorCode.REQUEST_TIMED_OUT, errorMessage: outcome.reason };
        for (const { name } of topics) this.#answer(name, failure);
        return;
      }
      const results = new Map(outcome.response.topics.map((result) => [result.name, result]));
      for (const { name } of topics) this.#answered(name, results.get(name));
    });
  }

  #answered(name: string, result: CreationFailure | undefined): void {
    const { metadata, timers } = this.#options;
    const errorCode = result?.errorCode ?? ErrorCode.UNKNOWN_SERVER_ERROR;
    if (errorCode !== ErrorCode.NONE && errorCode !== ErrorCode.TOPIC_ALREADY_EXISTS) {
      this.#answer(name, { errorCode, errorMessage: result?.errorMessage ?? null });
      return;
    }
    whenShown(metadata, timers, topicsServe([name]), APPLIED_LIMIT_MS, () => this.#answer(name, null));
  }

  #answer(name: string, failure: CreationFailure | null): void {
    const waiting = this.#underWay.get(name) ?? [];
    this.#underWay.delete(name);
    for (const done of waiting) done(failure);
  }
}
