/** The Kafka client in long-lived services: a member of a group that is kept up for as long as its process lives. */
export { GroupWorker, type GroupWorkerOptions } from './group-worker.ts';
export { retrying, type Retrying, type RetryingOptions } from './retrying.ts';
