/**
 * Which names topics may have: Kafka's rules, which also make every legal name a legal directory name.
 */
import type { ClusterImage } from '../image/cluster-image.ts';

export const MAX_TOPIC_NAME_LENGTH = 249;

/** The topics that the brokers themselves write to. */
export const GROUP_OFFSETS_TOPIC = '__consumer_offsets';
export const TRANSACTION_STATE_TOPIC = '__transaction_state';
export const SHARE_GROUP_STATE_TOPIC = '__share_group_state';
/** The metadata log is no topic: it can be neither created nor deleted. */
export const METADATA_TOPIC = '__cluster_metadata';

const internalTopics: ReadonlySet<string> = new Set([
  GROUP_OFFSETS_TOPIC,
  TRANSACTION_STATE_TOPIC,
  SHARE_GROUP_STATE_TOPIC,
]);

export function isInternalTopic(name: string): boolean {
  return internalTopics.has(name);
}

/** Why a topic may not have this name; null if it may. */
export function topicNameProblem(name: string): string | null {
  if (name === '') return 'A topic name must not be empty.';
  if (name === '.' || name === '..') return `A topic name must not be "${name}".`;
  if (name.length > MAX_TOPIC_NAME_LENGTH) {
    return `A topic name may have ${MAX_TOPIC_NAME_LENGTH} characters, this one has ${name.length}.`;
  }
  if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
    return 'A topic name may hold ASCII letters, digits, ".", "_" and "-" only.';
  }
  return null;
}

/** Metric names have no dots, so `a.b` and `a_b` would share theirs. Two names with the same key collide. */
function collisionKey(name: string): string {
  return name.replaceAll('.', '_');
}

/** Finds colliding names among many: built from the topics of an image on the first look, then kept up to date. */
export class CollisionIndex {
  readonly #image: ClusterImage;
  #names: Map<string, string> | undefined;

  constructor(image: ClusterImage) {
    this.#image = image;
  }

  /** A topic with another name and the same collision key. */
  colliding(name: string): string | undefined {
    const other = this.#index().get(collisionKey(name));
    return other === name ? undefined : other;
  }

  add(name: string): void {
    this.#index().set(collisionKey(name), name);
  }

  #index(): Map<string, string> {
    this.#names ??= new Map([...this.#image.topics.keys()].map((name) => [collisionKey(name), name]));
    return this.#names;
  }
}
